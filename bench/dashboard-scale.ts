/**
 * How long people wait for a page of the dashboard when the service has many accounts, each with ninety days of history.
 *
 *   node dist/bench/dashboard-scale.js [--accounts=50000] [--keys=100000] [--seconds=20] [--pace=people|hasty|robots …]
 *     [--data=<folder>] [--against=<checkout>]
 *
 * Every account has chosen alerts, which are checked all the while. Ten visitors open the busiest pages, first at the pace of
 * people, then without a pause longer than a tenth of a second, which only robots keep up. With `--against`, another compiled
 * checkout serves a copy of the same ledger, and both are measured in turn. `--data` keeps the ledger for the next run.
 * INDEX_FILE names the index to serve; it matters only for the page of the coverage. SERVER_OPTIONS are options of Node.js for
 * the server, such as `--cpu-prof`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { PACES, type Pace, startUsers, type Users } from './http/dashboard-users.ts'
import { worldFile } from './input/worlds.ts'
import { machineLine, thisMachine } from './machine.ts'
import { fillLedger } from './many-accounts.ts'
import { ROOT_FOLDER } from './paths.ts'

const { values } = parseArgs({
  options: {
    accounts: { type: 'string', default: '50000' },
    keys: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '20' },
    data: { type: 'string' },
    against: { type: 'string' },
    pace: { type: 'string', multiple: true, default: Object.keys(PACES) },
  },
})
const [accountsCount, keysCount, seconds] = [values.accounts, values.keys, values.seconds].map(Number)
const PEOPLE = 10
/** What is measured is a service that has run for a while, not one whose code is being compiled. */
const WARM_UP_MS = 4000
const ROUNDS = 2
/** Clock ticks of /proc, which Linux counts in hundredths of a second. */
const TICKS_PER_SECOND = 100

interface Service {
  name: string
  process: ChildProcess
  entrance: string
  /** What was measured at each pace, over all rounds. */
  taken: Map<Pace, { waits: Map<string, number[]>; processorMs: number }>
}

const dir = await mkdtemp(join(tmpdir(), 'postrie-scale-'))
try {
  console.log(machineLine(thisMachine()))
  const ledger = await filledLedger(values.data ?? join(dir, 'ledger'))
  console.log(`${accountsCount} accounts with alerts, ${keysCount} keys with full histories`)
  const services = [await start('this checkout', ROOT_FOLDER, ledger)]
  try {
    if (values.against !== undefined) services.push(await start(values.against, values.against, ledger))
    await measure(services)
  } finally {
    for (const { process } of services) await end(process)
  }
} finally {
  await rm(dir, { recursive: true })
}

/** The folder of a ledger, which is filled unless it has been before. */
async function filledLedger(folder: string): Promise<string> {
  const done = join(folder, 'alerts.jsonl')
  if (existsSync(done)) return folder
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const ledger = await fillLedger(folder, accountsCount, keysCount)
  await ledger.close(async () => {})
  // As `src/control/alerts/FORMAT.md` has it.
  const kinds = ['balance.low', 'balance.empty', 'key.capped', 'limit.near', 'key.created']
  const webhook = { url: 'https://example.com/alerts', secret: 'whsec_bench', kinds }
  const lines = Array.from({ length: accountsCount }, (_, slot) =>
    JSON.stringify([`acct_${slot}`, { email: [], webhook }]),
  )
  await writeFile(done, `${lines.join('\n')}\n`, { mode: 0o600 })
  return folder
}

async function start(name: string, checkout: string, ledger: string): Promise<Service> {
  const data = await mkdtemp(join(dir, 'data-'))
  await cp(ledger, data, { recursive: true })
  const options = (process.env.SERVER_OPTIONS ?? '').split(' ').filter(option => option !== '')
  const INDEX_FILE = process.env.INDEX_FILE ?? worldFile('world')
  const server = spawn(process.execPath, [...options, join(checkout, 'dist/src/cli.js'), 'serve'], {
    env: {
      PATH: process.env.PATH,
      DATA_DIR: data,
      INDEX_FILE,
      PORT: '0',
      CONTROL_PORT: '0',
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { name, process: server, entrance: await entranceOf(server.stdout), taken: new Map() }
}

async function measure(services: readonly Service[]): Promise<void> {
  for (const { name, process } of services) {
    const [before, startMs] = [processorMs(process.pid), performance.now()]
    await sleep(5000)
    const share = (processorMs(process.pid) - before) / (performance.now() - startMs)
    console.log(
      `${name}: alerts of all accounts alone take ${(share * 100).toFixed(1)} percent of a processor`,
    )
  }
  const paces = (Object.keys(PACES) as Pace[]).filter(pace => values.pace.includes(pace))
  for (let round = 0; round < ROUNDS; round++) {
    for (const pace of paces) for (const service of services) await visit(service, pace, round === 0)
  }
  for (const pace of paces) {
    console.log(`\n${PEOPLE} ${PACES[pace].text}`)
    for (const { name, taken } of services) {
      const { waits = new Map<string, number[]>(), processorMs = 0 } = taken.get(pace) ?? {}
      console.log(name)
      for (const [path, times] of waits) console.log(`  ${path.padEnd(34)}`, spread(times))
      const all = [...waits.values()].flat()
      const each = (processorMs / all.length).toFixed(1)
      console.log(`  ${'all'.padEnd(34)}`, spread(all), `${each} ms of a processor each`)
    }
  }
}

/** Lets the visitors of one service click for its share of the time. */
async function visit({ process, entrance, taken }: Service, pace: Pace, isFirst: boolean): Promise<void> {
  const { waits, processorMs: sum } = taken.get(pace) ?? {
    waits: new Map<string, number[]>(),
    processorMs: 0,
  }
  let isCounted = false
  const users: Users = await startUsers(entrance, PEOPLE, pace, (path, ms) => {
    if (isCounted) waits.set(path, [...(waits.get(path) ?? []), ms])
  })
  await sleep(isFirst ? WARM_UP_MS : 1000)
  isCounted = true
  const before = processorMs(process.pid)
  await sleep((seconds * 1000) / ROUNDS)
  isCounted = false
  taken.set(pace, { waits, processorMs: sum + processorMs(process.pid) - before })
  await users.stop()
}

function spread(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => `${(sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1)} ms`
  return `median ${at(0.5)}, 99 percent ${at(0.99)}, ${times.length} times`
}

/** The address that is printed at the start. */
async function entranceOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const address = /dashboard +(\S+)/.exec(line)?.[1]
    if (address !== undefined) return address
  }
  throw new Error('the service ended before it printed the address of its dashboard')
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return
  server.kill('SIGTERM')
  await once(server, 'exit')
}

/** What a process has used so far. */
function processorMs(pid: number | undefined): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13).map(Number)
  return ((user + system) * 1000) / TICKS_PER_SECOND
}
