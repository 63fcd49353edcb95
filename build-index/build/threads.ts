/**
 * Builds countries side by side. They begin in the order of the index, so that the first are written while others are built. Memory grows
 * with the number of threads and the largest country.
 */
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { cityLines } from '../../datasets/reference/cities-500.ts'
import type { Source, SourcePart } from '../../datasets/source.ts'
import { partOf } from '../../datasets/source-part.ts'
import { threadsLoaded } from '../../src/platform/promises.ts'
import { membersOf } from '../rows/postal-unions.ts'
import { type BuiltUnion, buildUnion, type Union } from './stages.ts'
import type { UnionTask, WorkerSetup } from './union-worker.ts'

const WORKER_FILE = fileURLToPath(new URL('./union-worker.js', import.meta.url))

/**
 * Yields the unions in their order, the same to the byte on any number of threads.
 * @throws when a source cannot be read
 */
export async function* buildUnions(
  unions: readonly Union[],
  sources: readonly Source[],
  threads: number,
): AsyncIterable<BuiltUnion> {
  const count = Math.min(threads, unions.length)
  const pool = count > 1 ? startThreads(count) : undefined
  const loaded = pool && threadsLoaded(pool.threads)
  const running = new Map<Union, Promise<BuiltUnion>>()
  try {
    if (pool !== undefined)
      for (const union of unions) {
        const parts = partsOf(union, sources)
        if (parts === undefined) continue
        const task: UnionTask = { union, parts }
        const built: Promise<BuiltUnion> = pool.run(task)
        // A failure is reported where the union is awaited.
        built.catch(() => {})
        running.set(union, built)
      }
    for (const union of unions) {
      yield await (running.get(union) ?? buildUnion(union, sources))
      running.delete(union)
    }
  } finally {
    await loaded
    await pool?.destroy()
  }
}

function startThreads(count: number): Piscina {
  const workerData: WorkerSetup = { cities: cityLines() }
  // Without `stricterFIFO`, tasks begin in no order, and the writer waits for the last.
  return new Piscina({
    filename: WORKER_FILE,
    minThreads: count,
    maxThreads: count,
    stricterFIFO: true,
    workerData,
  })
}

/** Returns the bytes of a union's rows. The time to build it grows with them. */
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
