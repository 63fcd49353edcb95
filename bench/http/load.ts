/** One load on one server: requests, latencies and the processor time that the server took. */
import type { Server } from './server.ts'
import type { EndpointName } from './setup.ts'
import { runWrk } from './wrk.ts'

export const REQUESTS = 'requests/s'
export const P99 = 'p99, µs'
export const PROCESSOR = 'processor time per request, µs'

/** What can be loaded: where each endpoint is, whose key pays, and what processor time it has used. */
export interface Loadable {
  readonly apiKey: string
  url(endpoint: EndpointName): string
  /** Microseconds of processor time so far, of all threads. */
  cpuMicros(): number | Promise<number>
}

/** Loads an endpoint of a contender for `seconds` and returns what that showed, by unit. */
export function load(
  server: Server,
  endpoint: EndpointName,
  connections: number,
  bodiesFile: string,
  seconds: number,
) {
  const service: Loadable = {
    apiKey: server.apiKey,
    url: name => server.url(name),
    cpuMicros: () => server.child.call<number>('cpuMicros'),
  }
  return loadService(service, endpoint, connections, bodiesFile, seconds)
}

/** Loads an endpoint of any service for `seconds` and returns what that showed, by unit. */
export async function loadService(
  service: Loadable,
  endpoint: EndpointName,
  connections: number,
  bodiesFile: string,
  seconds: number,
) {
  const before = await service.cpuMicros()
  const result = await runWrk({
    url: service.url(endpoint),
    connections,
    seconds,
    bodiesFile,
    apiKey: service.apiKey,
  })
  const cpu = (await service.cpuMicros()) - before
  return {
    [REQUESTS]: (result.requests / result.micros) * 1e6,
    'p50, µs': result.p50,
    [P99]: result.p99,
    'p99.9, µs': result.p999,
    // Varies less than requests/s when something else runs on the machine.
    [PROCESSOR]: cpu / result.requests,
  }
}
