/** Loads a server with wrk, which saturates a server from one core. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { Bodies } from './input/bodies.ts'
import { BENCH_FOLDER } from './paths.ts'
import type { Loadable } from './service.ts'

export const REQUESTS = 'requests/s'
const P50 = 'p50, µs'
export const P99 = 'p99, µs'
export const PROCESSOR = 'processor time per request, µs'

/** Connections of a load of single requests. */
export const CONNECTIONS = 64
/** Connections of a load of batches. More would fill the queue of the workers. */
const BATCH_CONNECTIONS = 24

interface WrkResult {
  requests: number
  durationMicros: number
  p50Micros: number
  p99Micros: number
  /** Number of answers other than 2xx and 3xx. */
  refused: number
  /** Number of failed connections and unanswered requests. */
  broken: number
}

/** Sends `bodies` in turn for `seconds`. @throws Error if wrk is missing, or if a request fails */
export async function load(
  server: Loadable,
  bodies: Bodies,
  seconds: number,
  connections: number = bodies.records > 1 ? BATCH_CONNECTIONS : CONNECTIONS,
) {
  const before = await server.cpuMicros()
  const { requests, durationMicros, p50Micros, p99Micros, refused, broken } = await runWrk(
    server,
    bodies,
    seconds,
    connections,
  )
  if (requests === 0 || refused > 0 || broken > 0)
    throw new Error(`${bodies.path}: ${refused} of ${requests} requests were refused and ${broken} failed`)
  const cpuMicros = (await server.cpuMicros()) - before
  return {
    [REQUESTS]: (requests / durationMicros) * 1e6,
    [P50]: p50Micros,
    [P99]: p99Micros,
    // Varies less than requests/s on a busy machine.
    [PROCESSOR]: cpuMicros / requests,
  }
}

async function runWrk(
  { port, apiKey }: Loadable,
  { path, file }: Bodies,
  seconds: number,
  connections: number,
): Promise<WrkResult> {
  const args = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '10s',
    '-s',
    `${BENCH_FOLDER}wrk.lua`,
  ]
  const wrk = spawn('wrk', [...args, `http://127.0.0.1:${port}${path}`], {
    env: { ...process.env, POSTRIE_BODIES: file, POSTRIE_KEY: apiKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, error] = await Promise.all([
    text(wrk.stdout),
    text(wrk.stderr),
    once(wrk, 'close').catch((cause: unknown) => {
      throw new Error('wrk cannot be run. Install it (Debian and Ubuntu: apt-get install wrk)', { cause })
    }),
  ])
  const line = /^RESULT (.*)$/m.exec(out)?.[1]
  if (line === undefined) throw new Error(`wrk gave no result: ${out}${error}`)
  return JSON.parse(line) as WrkResult
}
