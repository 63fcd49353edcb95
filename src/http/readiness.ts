/** Whether the service should get requests at this moment. */
import type { Service } from '../api/service.ts'

/** Why it should not, in words for `/readyz`. Empty: it is ready. `meter.healthy` speaks for the ledger and the meter. */
export function reasonsNotReady({ index, meter }: Partial<Service>, isDraining: boolean): string[] {
  const reasons: string[] = []
  if (isDraining) reasons.push('the server is stopping')
  if (!meter?.healthy) reasons.push('the ledger cannot be written')
  if (index === undefined) reasons.push('no index is open')
  return reasons
}
