/** Accounts for the servers: postrie's own on a ledger that is thrown away, and the plain `Map` of the rivals. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Accounts } from '../../src/accounts/accounts.ts'
import type { FindPayer } from './plain-service.ts'

const RICH_MICROS = 1_000_000_000_000

/** A ledger in a temporary folder, closed again, with accounts that can each pay for every request of a run. */
export async function prepareLedger(
  count = 1,
): Promise<{ dir: string; apiKey: string; apiKeys: readonly string[] }> {
  const dir = mkdtempSync(join(tmpdir(), 'postrie-bench-'))
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
  const accounts = await Accounts.open({ dir })
  const openAccount = async (number: number) => {
    const { id } = await accounts.createAccount({ email: `bench${number}@localhost` })
    await accounts.credit({
      account: id,
      micros: RICH_MICROS,
      reference: `bench ${number}`,
      kind: 'operator',
    })
    const { key } = await accounts.createKey(id, { label: 'bench' })
    return key
  }
  const apiKeys = await Promise.all(Array.from({ length: count }, (_, number) => openAccount(number)))
  await accounts.close()
  return { dir, apiKey: apiKeys[0], apiKeys }
}

/** A balance in memory, without a ledger: as little as a rival can do. */
export function plainPayers(): { apiKey: string; findPayer: FindPayer } {
  const apiKey = `pk_live_${'0123456789'.repeat(4).slice(0, 36)}`
  let micros = RICH_MICROS
  const payer = {
    charge(queries: number) {
      if (micros < queries * 28) return false
      micros -= queries * 28
      return true
    },
    balanceMicros: () => micros,
  }
  const payers = new Map([[apiKey, payer]])
  return { apiKey, findPayer: key => payers.get(key) }
}
