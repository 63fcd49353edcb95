/** Which events of commands change more in the database than its list of transactions: money, limits and caps. */
import type { LedgerEvent } from '../ledger/event.ts'

/** The kinds that `apply_event` in `sql/` knows. */
export type EffectiveEvent = Extract<
  LedgerEvent,
  { kind: 'account' | 'key' | 'cap' | 'limits' | 'credit' | 'adjust' | 'closed' }
>

/** Those of `events` that have such an effect, in their order. @throws RangeError for usage, which is reported and not committed */
export function effectiveEvents(events: readonly LedgerEvent[]): EffectiveEvent[] {
  const effective: EffectiveEvent[] = []
  for (const event of events) {
    switch (event.kind) {
      case 'account':
      case 'key':
      case 'cap':
      case 'limits':
      case 'credit':
      case 'adjust':
      case 'closed':
        effective.push(event)
        break
      case 'open':
      case 'identity':
      case 'rename':
      case 'revoke':
      case 'profile':
      case 'suspended':
      case 'resumed':
      case 'rules':
      case 'roll':
      case 'overlap':
      case 'invited':
      case 'uninvited':
      case 'member':
        break
      case 'usage':
        throw new RangeError('usage is reported by exchanges, not committed')
      default:
        event satisfies never
    }
  }
  return effective
}
