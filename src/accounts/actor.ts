/** The giver of a command. Commands find it themselves, so no caller between a request and the ledger can forget it. */
import { AsyncLocalStorage } from 'node:async_hooks'

export interface Actor {
  /** An identity named in OPERATORS, or the operator's commands; an account's owner; a payment provider; the service itself. */
  kind: 'operator' | 'customer' | 'provider' | 'service'
  name: string
  /** The address that a request came from; `''` when it did not come over a network. */
  from: string
}

export const THE_SERVICE: Actor = { kind: 'service', name: 'the service', from: '' }

const actors = new AsyncLocalStorage<Actor>()

/** Does `act`. All commands that it gives, also after it has waited, are those of `actor`. */
export function actingAs<T>(actor: Actor, act: () => T): T {
  return actors.run(actor, act)
}

export function presentActor(): Actor {
  return actors.getStore() ?? THE_SERVICE
}
