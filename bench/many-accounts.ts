/** A ledger with many accounts and keys, for benchmarks of what grows with them. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { newSecret, secretHash } from '../src/accounts/secret.ts'
import { DAY_MS, DAYS_KEPT, HOUR_MS, HOURS_KEPT } from '../src/ledger/book/history.ts'
import { Ledger } from '../src/ledger/ledger.ts'
import { QUERY_PRICE_MICROS } from '../src/limits.ts'

export const SECRETS = 'secrets'
/** Entries of the ledger between two waits for the disk. */
const ENTRIES_PER_SYNC = 5000

/**
 * Writes a ledger whose keys have full histories: 50 hours and 92 days with usage. Account n has the address `n@example.org`;
 * the secrets of the keys are in the file SECRETS, one after the other. The caller closes it.
 */
export async function fillLedger(dir: string, accountsCount: number, keysCount: number): Promise<Ledger> {
  const onFail = (error: Error): never => {
    throw error
  }
  const ledger = await Ledger.open({ dir, priceMicros: QUERY_PRICE_MICROS, onFail })
  const waitNowAndThen = async (entry: number): Promise<void> => {
    if (entry % ENTRIES_PER_SYNC === 0) await ledger.settled()
  }
  const credit = { kind: 'credit', debtPaidMicros: 0, credit: 'test', note: '' } as const
  for (let slot = 0; slot < accountsCount; slot++) {
    ledger.append([
      { kind: 'account', slot, id: `acct_${slot}`, email: `${slot}@example.org` },
      { ...credit, account: slot, micros: 1e12, reference: `r-${slot}` },
    ])
    await waitNowAndThen(slot)
  }
  const secrets = Array.from({ length: keysCount }, () => Buffer.from(newSecret()))
  await writeFile(join(dir, SECRETS), Buffer.concat(secrets))
  for (let key = 0; key < keysCount; key++) {
    const slot = accountsCount + key
    const hash = secretHash(secrets[key])
    const account = key % accountsCount
    ledger.append([
      { kind: 'key', slot, id: `key_${slot}`, account, label: 'a key', start: 'pk_live_0000', hash },
    ])
    await waitNowAndThen(key)
  }
  await ledger.settled()
  const nowMs = ledger.timeline.nowMs()
  const date = new Date(nowMs)
  for (const record of ledger.book.keys.values()) {
    record.month = (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
    for (let hour = HOURS_KEPT; hour > 0; hour--) {
      record.hours.addQueries(nowMs - hour * HOUR_MS, hour % 5, 100 + hour)
      record.hours.addSpend(nowMs - hour * HOUR_MS, (100 + hour) * QUERY_PRICE_MICROS)
    }
    for (let day = DAYS_KEPT; day > 0; day--) {
      record.days.addQueries(nowMs - day * DAY_MS, day % 5, 2000 + day)
      record.days.addSpend(nowMs - day * DAY_MS, (2000 + day) * QUERY_PRICE_MICROS)
    }
  }
  return ledger
}
