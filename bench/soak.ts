/**
 * Full load on all server threads for minutes, with all that happens besides: index swaps, keys made and revoked, people in the
 * dashboard, scrapes. Prints the memory as it goes and how much it grew after the warm-up.
 *
 *   npm run compile && node dist/bench/soak.js [minutes, 20] [server threads, 4]
 *
 * Ends with 1 when a request failed.
 */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { askServer } from '../src/control/operator/operator-client.ts'
import { writeBodies } from './http/bodies.ts'
import { startUsers } from './http/dashboard-users.ts'
import { Server } from './http/server.ts'
import { runWrk } from './http/wrk.ts'
import { replaceByNextBuild } from './input/next-build.ts'
import { worldIndex } from './input/worlds.ts'

const minutes = Number(process.argv[2] ?? 20)
const threads = Number(process.argv[3] ?? 4)
const endMs = performance.now() + minutes * 60_000
const isOver = () => performance.now() > endMs
/** Of the time, before growth counts. */
const WARM_UP = 0.3
const LOAD_SECONDS = 5
const SWAP_MS = 5000
const SAMPLE_MS = 5000
const PEOPLE = 5
const MB = 1e6

const world = worldIndex()
const bodies = writeBodies(world)
const folder = mkdtempSync(join(tmpdir(), 'postrie-soak-'))
const indexFile = join(folder, 'index.postrie')
copyFileSync(world.path, indexFile)
const server = await Server.start('postrie', { indexFile, threads })
const samples: { ms: number; bytes: number }[] = []
let requests = 0
let keys = 0
let swaps = 0

async function loadOf(endpoint: 'lookup' | 'bulk' | 'city', connections: number): Promise<void> {
  while (!isOver()) {
    // Throws when a request got another answer than 200 or none.
    const result = await runWrk({
      url: server.url(endpoint),
      connections,
      seconds: LOAD_SECONDS,
      bodiesFile: bodies[endpoint].file,
      apiKey: server.apiKey,
    })
    requests += result.requests
  }
}

/** The server sees the new file within two seconds. */
async function swapIndexes(): Promise<void> {
  while (!isOver()) {
    await sleep(SWAP_MS)
    replaceByNextBuild(world.path, indexFile, ++swaps)
  }
}

async function changeKeys(): Promise<void> {
  while (!isOver()) {
    const made = await ask('key.create', { account: 'bench0@localhost', label: 'soak' })
    await ask('key.revoke', { key: (made as { id: string }).id })
    keys++
    await sleep(500)
  }
}

async function ask(name: string, params: unknown): Promise<unknown> {
  const answer = await askServer(server.socketFile, name, params)
  if (!answer.reached) throw new Error(`nobody listens on ${server.socketFile}`)
  return answer.result
}

async function watchMemory(): Promise<void> {
  while (!isOver()) {
    await sleep(SAMPLE_MS)
    const { all } = await server.child.call<{ all: number }>('resident')
    samples.push({ ms: performance.now(), bytes: all })
    console.log(`${(all / MB).toFixed(0)} MB, ${requests} requests, ${keys} keys, ${swaps} index files`)
  }
}

/** Growth of memory after the warm-up by least squares, in MB an hour. */
function growth(): number {
  const late = samples.slice(Math.floor(samples.length * WARM_UP))
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [ms, bytes] = [mean(late.map(one => one.ms)), mean(late.map(one => one.bytes))]
  const over = late.reduce((sum, one) => sum + (one.ms - ms) * (one.bytes - bytes), 0)
  const under = late.reduce((sum, one) => sum + (one.ms - ms) ** 2, 0)
  return ((over / under) * 3_600_000) / MB
}

try {
  const users = await startUsers(server.entrance, PEOPLE)
  await Promise.all([
    loadOf('lookup', 32),
    loadOf('city', 8),
    loadOf('bulk', 4),
    swapIndexes(),
    changeKeys(),
    watchMemory(),
  ])
  console.log(`${users.answered()} pages of the dashboard`)
  await users.stop()
  const answers = requests.toLocaleString('en')
  console.log(
    `${answers} requests, none failed; memory grew by ${growth().toFixed(1)} MB an hour after the warm-up`,
  )
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await server.end()
  rmSync(folder, { recursive: true, force: true })
}
