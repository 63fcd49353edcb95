/** Loads a server with wrk, which saturates a server from one core. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { Bodies } from './input/bodies.ts'
import { BENCH_FOLDER } from './paths.ts'
import type { Loadable } from './service.ts'

export const REQUESTS = 'requests/s'
export const P50 = 'p50, µs'
export const P99 = 'p99, µs'
export const PROCESSOR = 'processor time per request, µs'

interface WrkResult {
  requests: number
  micros: number
  /** Latencies in microseconds. */
  p50: number
  p99: number
  /** Number of answers with another status than 2xx and 3xx. */
  refused: number
  /** Number of failed connections and unanswered requests. */
  broken: number
}

/** Sends `bodies` in turn for `seconds`. @throws Error if wrk is missing, or an answer is no success */
export async function load(server: Loadable, bodies: Bodies, connections: number, seconds: number) {
  const before = await server.cpuMicros()
  const url = `http://127.0.0.1:${server.port}${bodies.path}`
  const { requests, micros, p50, p99, refused, broken } = await runWrk(
    url,
    connections,
    seconds,
    bodies.file,
    server.apiKey,
  )
  if (requests === 0 || refused > 0 || broken > 0)
    throw new Error(`${url}: of ${requests} requests ${refused} were refused, ${broken} broken`)
  const cpu = (await server.cpuMicros()) - before
  return {
    [REQUESTS]: (requests / micros) * 1e6,
    [P50]: p50,
    [P99]: p99,
    // Varies less than requests/s on a busy machine.
    [PROCESSOR]: cpu / requests,
  }
}

async function runWrk(
  url: string,
  connections: number,
  seconds: number,
  bodiesFile: string,
  apiKey: string,
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
  const wrk = spawn('wrk', [...args, url], {
    env: { ...process.env, POSTRIE_BODIES: bodiesFile, POSTRIE_KEY: apiKey },
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
