/** One load on one server: requests, latencies and the processor time that the server took. */
import type { Server } from './server.ts'
import type { EndpointName } from './setup.ts'
import { runWrk } from './wrk.ts'

export const REQUESTS = 'requests/s'
export const P99 = 'p99, µs'
export const PROCESSOR = 'processor time per request, µs'

/** Loads an endpoint for `seconds` and gives what that showed, by unit. */
export async function load(
  server: Server,
  endpoint: EndpointName,
  connections: number,
  bodiesFile: string,
  seconds: number,
) {
  const before = await server.child.call<number>('cpuMicros')
  const result = await runWrk({
    url: server.url(endpoint),
    connections,
    seconds,
    bodiesFile,
    apiKey: server.apiKey,
  })
  const cpu = (await server.child.call<number>('cpuMicros')) - before
  return {
    [REQUESTS]: (result.requests / result.micros) * 1e6,
    'p50, µs': result.p50,
    [P99]: result.p99,
    'p99.9, µs': result.p999,
    // Varies less than requests/s when something else runs on the machine.
    [PROCESSOR]: cpu / result.requests,
  }
}
