import type { DataPlane } from '../../src/service/data-plane.ts'
import { fixtureIndex } from './fixture-index.ts'

/** Returns a data plane that answers nothing, with a small index in `folder`. */
export function idleDataPlane(folder: string): DataPlane {
  const index = fixtureIndex(folder)
  return {
    port: 1,
    metrics: () => [],
    latency: () => null,
    activity: {
      sinceMs: Date.now(),
      requests: () => [],
      sightings: () => [],
      refusals: () => [],
      refusedCounts: () => new Map(),
      keepCodes: () => {},
      codesKeptUntilMs: () => 0,
    },
    index: () => index,
    servedFile: () => ({ state: 'verified', writtenMs: 1_000_000_000_000, problem: null }),
    reload: () => Promise.reject(new Error('an idle data plane cannot reload')),
    onIndex: () => {},
    close: async () => {},
  }
}
