/**
 * Builds countries side by side. They begin in the order in which the index takes them, so that it is written meanwhile.
 * Memory grows with the number of threads and the largest country.
 */
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { cityLines } from '../../datasets/reference/cities-500.ts'
import type { Source, SourcePart } from '../../datasets/source.ts'
import { partOf } from '../../datasets/source-part.ts'
import { threadsLoaded } from '../../src/platform/pool-threads.ts'
import { membersOf } from '../rows/postal-unions.ts'
import { type BuiltUnion, buildUnion, type Union } from './country-models.ts'
import type { UnionTask, WorkerSetup } from './union-worker.ts'

const WORKER_FILE = fileURLToPath(new URL('./union-worker.js', import.meta.url))

export interface BuildThreads {
  /** Yields the unions in their order. `onBuilt` is called in any order. @throws when a source cannot be read */
  build(unions: readonly Union[], onBuilt: (union: Union) => void): AsyncIterable<BuiltUnion>
  close(): Promise<void>
}

/** Builds everything on this thread. */
export function oneThread(sources: readonly Source[]): BuildThreads {
  return {
    async *build(unions, onBuilt) {
      for (const union of unions) {
        yield buildUnion(union, sources)
        onBuilt(union)
      }
    },
    close: async () => {},
  }
}

/** Starts `count` threads. The result is the same to the byte as on one. */
export function startThreads(count: number, sources: readonly Source[]): BuildThreads {
  const workerData: WorkerSetup = { cities: cityLines() }
  const pool = new Piscina({
    filename: WORKER_FILE,
    minThreads: count,
    maxThreads: count,
    // Without it, tasks begin in no order, and the writer waits for the last.
    stricterFIFO: true,
    workerData,
  })
  const loaded = threadsLoaded(pool.threads)
  return {
    async *build(unions, onBuilt) {
      const running = new Map<Union, Promise<BuiltUnion>>()
      for (const union of unions) {
        const parts = partsOf(union, sources)
        if (parts === undefined) continue
        const task: UnionTask = { union, parts }
        const built: Promise<BuiltUnion> = pool.run(task)
        // A failure is reported where the union is awaited.
        built.then(() => onBuilt(union)).catch(() => {})
        running.set(union, built)
      }
      for (const union of unions) {
        const built = running.get(union)
        yield await (built ?? buildUnion(union, sources))
        if (built === undefined) onBuilt(union)
        running.delete(union)
      }
    },
    async close() {
      await loaded
      await pool.destroy()
    },
  }
}

/** Returns what the size of its rows says of the time that a union takes. */
export function weightOf({ post, countries }: Union, sources: readonly Source[]): number {
  let bytes = 1
  for (const source of sources)
    for (const country of new Set([post, ...countries]))
      if (country in source.countries) bytes += source.size?.(country) ?? 0
  return bytes
}

/** Returns what another thread needs to build a union; undefined if it cannot read the rows of a source. */
function partsOf({ post, countries }: Union, sources: readonly Source[]): SourcePart[] | undefined {
  const all = [...new Set([post, ...countries, ...membersOf(post)])]
  const parts: SourcePart[] = []
  for (const source of sources) {
    const part = partOf(source, all)
    if (part !== undefined) parts.push(part)
    else if (all.some(country => country in source.countries)) return undefined
  }
  return parts
}
