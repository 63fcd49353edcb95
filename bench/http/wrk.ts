/** Runs wrk, the load generator. It is written in C and saturates a server from one core, which no Node.js tool does. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { BENCH_FOLDER } from '../paths.ts'

export interface Load {
  url: string
  connections: number
  seconds: number
  /** File of bodies, one a line. */
  bodiesFile: string
  apiKey: string
}

export interface LoadResult {
  requests: number
  micros: number
  bytes: number
  /** Latencies in microseconds. */
  p50: number
  p99: number
  p999: number
  /** Answers with another status than 2xx and 3xx. */
  refused: number
  /** Connections that failed, requests that got no answer. */
  broken: number
}

/** @throws Error when wrk is missing, or when an answer was no success: then it was not the work that was measured */
export async function runWrk(load: Load): Promise<LoadResult> {
  const { url, connections, seconds, bodiesFile, apiKey } = load
  const args = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '10s',
    '-s',
    `${BENCH_FOLDER}http/wrk.lua`,
    url,
  ]
  const wrk = spawn('wrk', args, {
    env: { ...process.env, POSTRIE_BODIES: bodiesFile, POSTRIE_KEY: apiKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, error] = await Promise.all([
    text(wrk.stdout),
    text(wrk.stderr),
    once(wrk, 'close').catch((cause: unknown) => {
      throw new Error('wrk cannot be run; install it (Debian and Ubuntu: apt-get install wrk)', { cause })
    }),
  ])
  const line = /^RESULT (.*)$/m.exec(out)?.[1]
  if (line === undefined) throw new Error(`wrk gave no result: ${out}${error}`)
  const result = JSON.parse(line) as LoadResult
  if (result.requests === 0 || result.refused > 0 || result.broken > 0) {
    throw new Error(
      `${url}: of ${result.requests} requests ${result.refused} were refused, ${result.broken} broken`,
    )
  }
  return result
}
