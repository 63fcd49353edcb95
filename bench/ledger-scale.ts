/**
 * What many accounts and keys cost where people wait: at a start, at SIGTERM, and in the pauses of the ledger thread.
 *
 *   node dist/bench/ledger-scale.js [accounts] [keys] [flushes]
 *
 * Every key has full histories: 50 hours and 92 days with usage. The ledger is written first, with a snapshot at its end.
 * Then another process opens it as a server does, charges every key once and flushes, some times over, and closes it as at
 * SIGTERM; a second one only opens and closes it.
 * The longest turn is the longest time between two turns of the ledger thread while a flush is in progress: no command is
 * answered in between. Requests are, since server threads answer them. The time in which the thread was ready and no processor was free is taken off: on a machine that does
 * other things, that is most of it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Accounts } from '../src/accounts/accounts.ts'
import { SECRET_BYTES } from '../src/accounts/secret.ts'
import type { ApiKey } from '../src/accounts/types.ts'
import { ledgerFolder, listLedger } from '../src/ledger/disk/files.ts'
import { nodeFileSystem } from '../src/ledger/disk/node-file-system.ts'
import { machineLine, thisMachine } from './machine.ts'
import { fillLedger, SECRETS } from './many-accounts.ts'

const [accountsCount = 50_000, keysCount = 200_000, flushes = 5] = process.argv.slice(2).map(Number)
/** Set in the child processes, which do what a server does: their memory holds nothing of what wrote the ledger. */
const { SCALE_DIR } = process.env

if (SCALE_DIR === undefined) await main()
else await serve(SCALE_DIR)

async function main(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'postrie-scale-'))
  try {
    console.log(machineLine(thisMachine()))
    console.log(`${accountsCount} accounts, ${keysCount} keys with full histories`)
    const ledger = await fillLedger(dir, accountsCount, keysCount)
    await timed('close with a snapshot', () => ledger.close(async () => {}))
    console.log(`snapshot ${((await snapshotBytes(dir)) / 1e6).toFixed(0)} MB`)
    for (const turns of [`${flushes}`, '0']) {
      const args = [fileURLToPath(import.meta.url), `${accountsCount}`, `${keysCount}`, turns]
      const child = spawn(process.execPath, args, {
        env: { ...process.env, SCALE_DIR: dir },
        stdio: 'inherit',
      })
      const [code] = await once(child, 'exit')
      if (code !== 0) throw new Error(`the child ended with ${code}`)
    }
  } finally {
    await rm(dir, { recursive: true })
  }
}

async function serve(dir: string): Promise<void> {
  const accounts = await timed('start', () => Accounts.open({ dir }))
  const bytes = await readFile(join(dir, SECRETS))
  for (let flush = 1; flush <= flushes; flush++) await measureFlush(accounts, bytes, flush)
  await timed('SIGTERM', () => accounts.close())
  console.log(`peak memory ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`)
}

/** Charges every key once, and prints the longest turns until the last of it is in the ledger. */
async function measureFlush(accounts: Accounts, secrets: Buffer, flush: number): Promise<void> {
  for (let start = 0; start < secrets.length; start += SECRET_BYTES) {
    const key = accounts.authenticate(secrets, start, start + SECRET_BYTES) as ApiKey
    // Refused while there is no row for the key: the turns in between make more.
    while (!accounts.charge(key, 0, 1)) await turn()
  }
  await turn()
  const started = process.cpuUsage()
  const turns: number[] = []
  let isDurable = false
  const durable = accounts.makeDurable().then(() => {
    isDurable = true
  })
  const startMs = performance.now()
  let [lastMs, lastWaitedMs] = [startMs, waitedMs()]
  while (!isDurable) {
    await turn()
    const [nowMs, nowWaitedMs] = [performance.now(), waitedMs()]
    turns.push(Math.max(0, nowMs - lastMs - (nowWaitedMs - lastWaitedMs)))
    lastMs = nowMs
    lastWaitedMs = nowWaitedMs
  }
  await durable
  const { user, system } = process.cpuUsage(started)
  console.log(
    `flush ${flush}: longest turns ${longest(turns)} ms;`,
    `${((lastMs - startMs) / 1000).toFixed(2)} s in all, ${((user + system) / 1e6).toFixed(2)} s of the processor`,
  )
}

function turn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

function longest(turns: readonly number[]): string {
  const sorted = turns.toSorted((a, b) => b - a)
  return sorted
    .slice(0, 3)
    .map(ms => ms.toFixed(1))
    .join(', ')
}

/** How long the main thread was ready to run and did not, as Linux counts it. */
function waitedMs(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
}

async function snapshotBytes(dir: string): Promise<number> {
  const { snapshots } = await listLedger(nodeFileSystem, ledgerFolder(dir))
  return snapshots[0] === undefined ? 0 : (await stat(snapshots[0].path)).size
}

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const startMs = performance.now()
  const startCpu = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(startCpu)
  const seconds = ((performance.now() - startMs) / 1000).toFixed(2)
  console.log(`${name}: ${seconds} s, ${((user + system) / 1e6).toFixed(2)} s of the processor`)
  return result
}
