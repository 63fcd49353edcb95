/**
 * A process with four charging threads, killed with SIGKILL at a random moment, round after round on the same folder. What
 * a thread was told is found, query by query; beyond it at most the one charge that each thread was making. `npm test` runs a
 * few rounds; the nightly command
 *
 *   THREAD_CRASH_ROUNDS=200 node dist/test/accounts/crash-threads.test.js
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { Accounts } from '../../src/accounts/accounts.ts'
import { balanceMicros, queriesSum } from '../../src/ledger/book/record.ts'
import { ledgerFolder } from '../../src/ledger/disk/files.ts'
import { nodeFileSystem } from '../../src/ledger/disk/node-file-system.ts'
import { recover } from '../../src/ledger/recover.ts'
import { verifyLedger } from '../../src/ledger/tools/verify-ledger.ts'
import { QUERY_PRICE_MICROS } from '../../src/limits.ts'
import { seededRandom } from '../ledger/random.ts'
import { Notes, USAGES } from './charging-notes.ts'

const ROUNDS = Number(process.env.THREAD_CRASH_ROUNDS ?? 6)
const SEED = Number(process.env.THREAD_CRASH_SEED ?? 1)
const THREADS = 4
const CHILD = fileURLToPath(new URL('./crash-child.js', import.meta.url))

t.setTimeout(60_000 + ROUNDS * 10_000)

t.test(
  `${ROUNDS} times SIGKILL with ${THREADS} threads: what was acknowledged is there, and nothing else`,
  async t => {
    const dir = await mkdtemp(join(tmpdir(), 'postrie-threads-'))
    t.teardown(() => rm(dir, { recursive: true }))
    const random = seededRandom(SEED)
    const keys = await prepare(dir)
    const found = keys.map(() => new Array<number>(USAGES).fill(0))
    let charged = 0
    let unanswered = 0
    for (let round = 1; round <= ROUNDS; round++) {
      const path = join(dir, 'notes')
      Notes.create(path)
      const args = [
        dir,
        path,
        `${THREADS}`,
        `${SEED}-${round}`.replace('-', ''),
        ...keys.map(({ secret }) => secret),
      ]
      const child = spawn(process.execPath, [CHILD, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
      const ended = once(child, 'exit')
      await Promise.race([once(child.stdout, 'data'), ended])
      t.equal(child.exitCode, null, 'the process runs')
      await new Promise(resolve => setTimeout(resolve, 20 + random.below(200)))
      child.kill('SIGKILL')
      await ended
      const notes = Notes.read(await readFile(path))
      const { book, rowsAhead } = await recover(nodeFileSystem, ledgerFolder(dir))
      if (rowsAhead.length > 0)
        book.apply({ kind: 'usage', rows: rowsAhead }, Date.now(), Number.MAX_SAFE_INTEGER)
      for (const [index, { id }] of keys.entries()) {
        const queries = book.keys.get(id)?.queries ?? []
        for (let usage = 0; usage < USAGES; usage++) {
          const told = notes.reduce((sum, note) => sum + note.chargedTo(index, usage), 0)
          const inProgress = notes.reduce((sum, note) => sum + note.inProgress(index, usage), 0)
          const since = queries[usage] - found[index][usage]
          if (since < told || since > told + inProgress)
            t.fail(
              `round ${round}, key ${index}, class ${usage}: ${since} found, ${told} acknowledged, ${inProgress} not`,
            )
          found[index][usage] = queries[usage]
          charged += told
          unanswered += since - told
        }
      }
      for (const account of book.accounts.values()) {
        const queries = account.keys.reduce((sum, key) => sum + queriesSum(key), 0)
        t.equal(account.spentMicros, queries * QUERY_PRICE_MICROS, `spend of ${account.email}`)
        if (balanceMicros(account) < 0) t.fail(`${account.email} has ${balanceMicros(account)} micros`)
      }
      t.match(await verifyLedger(dir), { status: /sound|torn/, problems: [] })
    }
    t.ok(charged > ROUNDS * 100, `${charged} queries were charged, ${unanswered} of them not acknowledged`)
    t.comment({ charged, unanswered })
  },
)

/** Two accounts, one of which is often at zero, with ten keys each. */
async function prepare(dir: string): Promise<{ id: string; secret: string }[]> {
  const accounts = await Accounts.open({ dir })
  const keys: { id: string; secret: string }[] = []
  for (const [index, micros] of [10 ** 11, 100_000].entries()) {
    const { id: account } = await accounts.createAccount({ email: `${index}@example.org`, freeCredit: false })
    await accounts.credit({ account, micros, reference: `start-${index}`, kind: 'test' })
    const created = await Promise.all(Array.from({ length: 10 }, () => accounts.createKey(account)))
    keys.push(...created.map(({ id, key }) => ({ id, secret: key })))
  }
  await accounts.createAccount({ email: 'new-keys@example.org' })
  await accounts.close()
  return keys
}
