/** Fills, opens or charges a ledger in its own process: `ledger-child.ts <folder>`. */

import { createHash } from 'node:crypto'
import { openAccounts } from '../src/billing/accounts/accounts.ts'
import { type Ledger, openLedger } from '../src/billing/ledger/ledger.ts'
import { compactLedger } from '../src/billing/ledger/tools/compact.ts'
import { NEW_ACCOUNT_CREDIT_MICROS, QUERY_PRICE_MICROS } from '../src/billing/money.ts'
import { CHARGED } from '../src/service/endpoints/table.ts'
import { answerParent } from './child.ts'
import { processorNanos } from './measure.ts'

const [, , dir] = process.argv
/** Frames between waits for the disk. */
const FRAMES_PER_WAIT = 10_000

/** Writes accounts with keys, then look-ups of each key in turn, one frame each. @param isCompact true leaves a snapshot, not a log */
async function fill({ accounts, keysPerAccount, uses, isCompact }: Filling): Promise<void> {
  const ledger = await openLedger({ dir })
  let frames = 0
  const append = async (...events: Parameters<Ledger['append']>[0]) => {
    ledger.append(events)
    if (++frames % FRAMES_PER_WAIT === 0) await ledger.untilDurable()
  }
  const keys: number[] = []
  for (let slot = 0; slot < accounts * (keysPerAccount + 1); slot++) {
    const account = slot - (slot % (keysPerAccount + 1))
    const hash = createHash('sha256').update(`${slot}`).digest('base64url')
    const credit = { debtPaidMicros: 0, credit: 'payment', reference: `payment ${slot}`, note: '' } as const
    if (slot === account) {
      await append({ kind: 'account', slot, id: `acct_${slot}`, email: `${slot}@example.org` })
      await append({ kind: 'credit', account, micros: 1e6 * NEW_ACCOUNT_CREDIT_MICROS, ...credit })
    } else {
      await append({ kind: 'key', slot, account, id: `key_${slot}`, label: 'a', start: 'pk_live_0000', hash })
      keys.push(slot)
    }
  }
  for (let use = 0; use < uses; use++) {
    const queries = 1 + Math.floor(use / keys.length)
    const row = {
      key: keys[use % keys.length],
      queries: [queries],
      spentMicros: queries * QUERY_PRICE_MICROS,
    }
    await append({ kind: 'usage', rows: [row] })
  }
  await ledger.untilDurable()
  await ledger.close(async () => {})
  if (isCompact) await compactLedger(dir)
}

export interface Filling {
  accounts: number
  keysPerAccount: number
  uses: number
  isCompact: boolean
}

/** Opens the accounts like a server. */
async function open(): Promise<{ seconds: number; megabytes: number }> {
  const before = processorNanos()
  await openAccounts({ usageClasses: CHARGED, dir })
  return { seconds: (processorNanos() - before) / 1e9, megabytes: process.resourceUsage().maxRSS / 1024 }
}

async function charge(queries: number): Promise<number> {
  const accounts = await openAccounts({ usageClasses: CHARGED, dir })
  const { id } = await accounts.createAccount({ email: 'ada@example.org' })
  await accounts.credit({ account: id, micros: queries * QUERY_PRICE_MICROS, reference: 'r', kind: 'test' })
  const secret = Buffer.from((await accounts.createKey(id)).secret)
  const key = accounts.charging.findKey(secret, 0, secret.length)
  if (typeof key === 'string') throw new Error('the key is not found')
  const before = processorNanos()
  for (let query = 0; query < queries; query++)
    if (accounts.charging.charge(key, 0, 1) !== null) throw new Error('a charge was refused')
  return (processorNanos() - before) / queries
}

answerParent({ fill, open, charge })
