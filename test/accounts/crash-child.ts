/**
 * Run as a process: several threads charge the accounts of a folder until it is killed, while commands change them.
 *
 *   node crash-child.js <folder> <file for the notes> <threads> <seed> <secret>…
 */
import { Accounts } from '../../src/accounts/accounts.ts'
import { USAGE_NAMES } from '../../src/endpoints/table.ts'
import { ChargingPool } from './charging-pool.ts'

const [dir = '', notes = '', threads = '', seed = '', ...secrets] = process.argv.slice(2)
const accounts = await Accounts.open({ dir, onFatal: error => console.error(error) })
const pool = new ChargingPool(Number(threads))
await pool.attach(accounts)
const task = {
  secrets,
  requests: Number.MAX_SAFE_INTEGER,
  sizes: [1, 1, 1, 2, 30],
  usages: USAGE_NAMES.length,
}
pool.flood({ ...task, seed: Number(seed), notes }).catch(error => console.error(error))
process.stdout.write('ready\n')
for (let round = 0; ; round++) {
  const account = accounts.listAccounts()[round % 2].id
  const reference = `${seed}-${round}`
  if (round % 2 === 0) await accounts.credit({ account, micros: 280_000, reference, kind: 'test' })
  else await accounts.adjust({ account, micros: 2800, reference, kind: 'refund' })
  if (round % 5 > 0) continue
  const { id } = await accounts.createKey(accounts.listAccounts()[2].id)
  await accounts.revokeKey(id)
}
