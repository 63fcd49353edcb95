/**
 * Keeps full load on all server threads for minutes, with reloads, key changes and scrapes. Prints the memory and its growth per hour
 * after the warm-up.
 *
 *   npm run compile && node dist/bench/soak.js [minutes, 20] [server threads, 4]
 *
 * Exits with 1 if a request fails.
 */
import { copyFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openIndex } from '../src/postal/library/node.ts'
import { type LoadName, writeBodies } from './input/bodies.ts'
import { WORLDS, worldFile } from './input/worlds.ts'
import { residentBytes, startService } from './service.ts'
import { load, REQUESTS } from './wrk.ts'

const minutes = Number(process.argv[2] ?? 20)
const threads = Number(process.argv[3] ?? 4)
/** Share of samples dropped as warm-up. */
const WARM_UP = 0.3
const LOAD_SECONDS = 5
const SWAP_MS = 5000
const SAMPLE_MS = 5000
const MB = 1e6

const bodies = writeBodies(openIndex(worldFile('us')))
const folder = mkdtempSync(join(tmpdir(), 'postrie-soak-'))
const indexFile = join(folder, 'index.postrie')
// Both builds have the codes of the United States. A file with the same contents would not be loaded.
const builds = WORLDS.map(world => worldFile(world))
copyFileSync(builds[1], indexFile)
const server = await startService({ indexFile, threads })
const endMs = performance.now() + minutes * 60_000
const isOver = () => performance.now() > endMs
const samples: { ms: number; bytes: number }[] = []
let requests = 0
let keys = 0
let reloads = 0

/** Loads an endpoint until the end. @throws Error unless every answer is 200 */
async function loadOf(name: LoadName, connections: number): Promise<void> {
  while (!isOver()) {
    const taken = await load(server, bodies[name], LOAD_SECONDS, connections)
    requests += Math.round(taken[REQUESTS] * LOAD_SECONDS)
  }
}

/** Alternates between two builds. The server sees each within two seconds. */
async function reloadIndexes(): Promise<void> {
  while (!isOver()) {
    await sleep(SWAP_MS)
    copyFileSync(builds[reloads % 2], `${indexFile}.new`)
    renameSync(`${indexFile}.new`, indexFile)
    reloads++
  }
}

async function changeKeys(): Promise<void> {
  while (!isOver()) {
    const made = await server.operate('key.create', { account: 'bench0@localhost', label: 'soak' })
    await server.operate('key.revoke', { key: (made as { id: string }).id })
    keys++
    await sleep(500)
  }
}

async function watchMemory(): Promise<void> {
  while (!isOver()) {
    await sleep(SAMPLE_MS)
    await (await fetch(`http://127.0.0.1:${server.controlPort}/metrics`)).text()
    const bytes = residentBytes(server.pid)
    samples.push({ ms: performance.now(), bytes })
    console.log(`${(bytes / MB).toFixed(0)} MB, ${requests} requests, ${keys} keys, ${reloads} index files`)
  }
}

/** Returns the memory growth after the warm-up by least squares, in MB an hour. */
function growth(): number {
  const late = samples.slice(Math.floor(samples.length * WARM_UP))
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [ms, bytes] = [mean(late.map(one => one.ms)), mean(late.map(one => one.bytes))]
  const covariance = late.reduce((sum, one) => sum + (one.ms - ms) * (one.bytes - bytes), 0)
  const variance = late.reduce((sum, one) => sum + (one.ms - ms) ** 2, 0)
  return ((covariance / variance) * 3_600_000) / MB
}

try {
  await Promise.all([
    loadOf('lookup', 32),
    loadOf('city', 8),
    loadOf('validate-bulk', 4),
    reloadIndexes(),
    changeKeys(),
    watchMemory(),
  ])
  const answers = requests.toLocaleString('en')
  console.log(`${answers} requests, none failed; memory grew by ${growth().toFixed(1)} MB an hour`)
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await server.end()
  rmSync(folder, { recursive: true, force: true })
}
