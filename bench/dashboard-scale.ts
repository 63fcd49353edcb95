/**
 * How long people wait for a page of the dashboard when the service has many accounts, each with ninety days of history.
 *
 *   node dist/bench/dashboard-scale.js [accounts, 50000] [keys, 100000] [seconds, 20]
 *
 * Every account has chosen alerts, which are checked all the while. Ten people click without a pause for thought longer than
 * a tenth of a second. INDEX_FILE names the index to serve; it matters only for the page of the coverage.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { PAGES, signIn } from './http/dashboard-users.ts'
import { worldIndex } from './input/worlds.ts'
import { machineLine, thisMachine } from './machine.ts'
import { fillLedger } from './many-accounts.ts'

const [accountsCount = 50_000, keysCount = 100_000, seconds = 20] = process.argv.slice(2).map(Number)
const PEOPLE = 10
const THOUGHT_MS = 100
/** Clock ticks of /proc, which Linux counts in hundredths of a second. */
const TICKS_PER_SECOND = 100

const dir = await mkdtemp(join(tmpdir(), 'postrie-scale-'))
try {
  console.log(machineLine(thisMachine()))
  const ledger = await fillLedger(dir, accountsCount, keysCount)
  await ledger.close(async () => {})
  await chooseAlerts()
  console.log(`${accountsCount} accounts with alerts, ${keysCount} keys with full histories`)
  await measure()
} finally {
  await rm(dir, { recursive: true })
}

/** As `src/control/alerts/FORMAT.md` has it. */
async function chooseAlerts(): Promise<void> {
  const kinds = ['balance.low', 'balance.empty', 'key.capped', 'limit.near', 'key.created']
  const webhook = { url: 'https://example.com/alerts', secret: 'whsec_bench', kinds }
  const lines = Array.from({ length: accountsCount }, (_, slot) =>
    JSON.stringify([`acct_${slot}`, { email: [], webhook }]),
  )
  await writeFile(join(dir, 'alerts.jsonl'), `${lines.join('\n')}\n`, { mode: 0o600 })
}

async function measure(): Promise<void> {
  const INDEX_FILE = process.env.INDEX_FILE ?? worldIndex().path
  const cli = fileURLToPath(new URL('../src/cli.js', import.meta.url))
  const server = spawn(process.execPath, [cli, 'serve'], {
    env: { PATH: process.env.PATH, DATA_DIR: dir, INDEX_FILE, PORT: '0', CONTROL_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const entrance = await entranceOf(server.stdout)
    const cookies: string[] = []
    for (let person = 0; person < PEOPLE; person++)
      cookies.push(await signIn(entrance, `${person}@example.org`))
    const before = processorSeconds(server.pid)
    const idleMs = performance.now()
    await sleep(5000)
    const idle = (processorSeconds(server.pid) - before) / ((performance.now() - idleMs) / 1000)
    console.log(`alerts of all accounts alone: ${(idle * 100).toFixed(1)} percent of a processor`)
    const waits = new Map(PAGES.map(path => [path, [] as number[]]))
    const startSeconds = processorSeconds(server.pid)
    const endMs = performance.now() + seconds * 1000
    const click = async (cookie: string, person: number) => {
      for (let round = person; performance.now() < endMs; round++) {
        const path = PAGES[round % PAGES.length]
        const startMs = performance.now()
        const response = await fetch(new URL(path, entrance), { headers: { Cookie: cookie } })
        await response.arrayBuffer()
        if (!response.ok) throw new Error(`${path} answered ${response.status}`)
        waits.get(path)?.push(performance.now() - startMs)
        await sleep(THOUGHT_MS)
      }
    }
    await Promise.all(cookies.map(click))
    const all = [...waits.values()].flat()
    const processor = ((processorSeconds(server.pid) - startSeconds) * 1000) / all.length
    for (const [path, times] of waits) console.log(path.padEnd(34), spread(times))
    console.log('all pages'.padEnd(34), spread(all), `${processor.toFixed(1)} ms of a processor each`)
  } finally {
    server.kill('SIGTERM')
    await once(server, 'exit')
  }
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

/** What a process has used so far. */
function processorSeconds(pid: number | undefined): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13).map(Number)
  return (user + system) / TICKS_PER_SECOND
}
