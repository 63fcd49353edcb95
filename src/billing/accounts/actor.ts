import { AsyncLocalStorage } from 'node:async_hooks'

export interface Actor {
  /** `operator`: named in OPERATORS, or an operator command. `provider`: a payment provider. */
  kind: 'operator' | 'customer' | 'provider' | 'service'
  name: string
  /** Address of the request; `''` if it did not come over a network. */
  from: string
}

export const THE_SERVICE: Actor = { kind: 'service', name: 'the service', from: '' }

const actors = new AsyncLocalStorage<Actor>()

/** Runs `act`. All its commands, also asynchronous ones, are recorded as commands of `actor`. */
export function actingAs<T>(actor: Actor, act: () => T): T {
  return actors.run(actor, act)
}

export function presentActor(): Actor {
  return actors.getStore() ?? THE_SERVICE
}
