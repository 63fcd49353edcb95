/**
 * Kills the real server under load with SIGKILL at a random moment, round after round on the same data folder. Also kills
 * starts and `postrie ledger compact`, and reloads the served index. Nightly, for a quarter of an hour:
 *
 *   CRASH_ROUNDS=300 CRASH_TIMEOUT=3600 node dist/test/billing/ledger/crash.test.js
 *
 * `CRASH_SEED` repeats the choices of a failed round, but not the moment of its kill.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, link, rename } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { ledgerFolder } from '../../../src/billing/ledger/disk/files.ts'
import { nodeFileSystem } from '../../../src/billing/ledger/disk/node-file-system.ts'
import { recover } from '../../../src/billing/ledger/recover.ts'
import { verifyLedger } from '../../../src/billing/ledger/tools/verify-ledger.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'
import { writeIndex } from '../../support/fixture-index.ts'
import { CLI, readyServer, spawnServer } from '../../support/processes.ts'
import { seededChoices } from '../../support/random.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { CrashOperator } from './crash-commands.ts'
import { CrashModel, Setting } from './crash-model.ts'
import { flood, prepare, SERVED } from './data-folder.ts'

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 8)
const SEED = Number(process.env.CRASH_SEED ?? 1)
/** The second account soon has no balance, also after each credit. */
const START_MICROS = [100_000_000, 200_000]
const CLIENTS_MAX = 6
/** Every so many rounds, the server lives until it has noticed the new index, and a compaction may end. */
const RELOAD_EVERY = 8
const COMPACT_EVERY = 3
/** Maximum number of acknowledged commands in a server's life. It then lives some milliseconds more. */
const COMMANDS_MAX = 8
const KILL_MS_MAX = 40

t.setTimeout(Number(process.env.CRASH_TIMEOUT ?? 900) * 1000)

t.test(`${ROUNDS} kills lose, double or overdraw nothing acknowledged`, async t => {
  const dir = temporaryFolder(t)
  const random = seededChoices(SEED)
  const model = new CrashModel()
  const accounts = await openAccounts(dir, model)
  const operator = new CrashOperator(model, random, accounts)
  const indexes = [join(dir, 'default.postrie'), writeIndex(dir)]
  await copyFile(DEFAULT_INDEX, indexes[0])
  const indexFile = join(dir, 'served.postrie')
  const counts = { reloads: 0, compactions: 0, startsKilled: 0, compactionsKilled: 0 }
  const reloadIndex = async (round: number): Promise<void> => {
    await link(indexes[round % 2], `${indexFile}.next`)
    await rename(`${indexFile}.next`, indexFile)
  }
  await reloadIndex(0)

  for (let round = 1; round <= ROUNDS; round++) {
    if (random.chance(0.3) && (await killStart(dir, indexFile, random.below(800)))) counts.startsKilled++
    if (round % COMPACT_EVERY === 0) {
      if (await compact(dir, round % 2 === 0 ? random.below(600) : null)) counts.compactions++
      else counts.compactionsKilled++
    }
    const server = await readyServer(spawnServer(dir, { ...SERVED, INDEX_FILE: indexFile }))
    const keys = model.usable().slice(-CLIENTS_MAX)
    const floods = keys.map(async key => {
      // The server may die before all are connected. Then no request was sent.
      key.answered += await flood(server, key.secret).catch(() => 0)
      key.floods++
    })
    const enough = operator.count() + 1 + random.below(COMMANDS_MAX)
    let hasEnded = false
    const commands = operator.run(join(dir, 'control.sock')).then(() => {
      hasEnded = true
    })
    if (round % RELOAD_EVERY === 0) {
      await reloadIndex(round / RELOAD_EVERY)
      await until(() => server.output.stderr.includes('index replaced'))
      counts.reloads++
    }
    await until(() => hasEnded || operator.count() >= enough)
    await new Promise(resolve => setTimeout(resolve, random.below(KILL_MS_MAX)))
    await server.stop('SIGKILL')
    await Promise.all([...floods, commands])

    const { book, rowsAhead, notes } = await recover(nodeFileSystem, ledgerFolder(dir))
    if (notes.length > 0) t.fail(`round ${round}: a start would complain`, { notes })
    if (rowsAhead.length > 0)
      book.apply({ kind: 'usage', rows: rowsAhead }, Date.now(), Number.MAX_SAFE_INTEGER)
    try {
      model.check(book)
    } catch (error) {
      t.fail(`round ${round}: ${String(error)}`, { seed: SEED })
    }
    const { status, problems } = await verifyLedger(dir)
    if (status === 'damaged') t.fail(`round ${round}: the ledger is damaged`, { problems })
  }
  t.ok(model.charged > ROUNDS, `${model.charged} charges were answered`)
  const commands = Object.fromEntries(operator.acknowledged)
  t.ok(ROUNDS < RELOAD_EVERY || Object.keys(commands).length >= 5, 'commands of all kinds were acknowledged')
  t.ok(ROUNDS < RELOAD_EVERY || counts.reloads > 0, 'the index was reloaded under load')
  t.comment({ charged: model.charged, unanswered: model.unanswered, ...counts, commands })
})

/** Opens two accounts with two keys each. Returns the ids of the accounts. */
async function openAccounts(dir: string, model: CrashModel): Promise<string[]> {
  const ids: string[] = []
  for (const [index, micros] of START_MICROS.entries()) {
    const prefix = `start-${index}-`
    const keys = await prepare(dir, { accounts: 1, keysPerAccount: 2, micros, prefix })
    for (const { id, account, secret } of keys) model.addKey(id, account, secret)
    const account = keys[0].account
    ids.push(account)
    model.limits.set(account, new Setting<unknown>(null))
    const isThere = new Setting(true)
    model.credits.set(`${prefix}0`, { account, micros, isThere })
  }
  return ids
}

/** Starts a server and kills it, mostly during recovery. Returns false if it was ready before. */
async function killStart(dir: string, indexFile: string, afterMs: number): Promise<boolean> {
  const child = spawnServer(dir, { ...SERVED, INDEX_FILE: indexFile })
  const isReady = readyServer(child).then(
    () => true,
    () => false,
  )
  await new Promise(resolve => setTimeout(resolve, afterMs))
  child.kill('SIGKILL')
  await once(child, 'close')
  return !(await isReady)
}

/** Compacts the ledger, or kills the compaction after `killMs`. Returns true if it ended by itself. @throws when it fails */
async function compact(dir: string, killMs: number | null): Promise<boolean> {
  const child = spawn(process.execPath, [CLI, 'ledger', 'compact'], {
    env: { ...process.env, DATA_DIR: dir },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  const timer = killMs === null ? null : setTimeout(() => child.kill('SIGKILL'), killMs)
  const [code, signal] = await ended
  if (timer !== null) clearTimeout(timer)
  if (signal === null && code !== 0) throw new Error(`postrie ledger compact ended with ${code}`)
  return signal === null
}
