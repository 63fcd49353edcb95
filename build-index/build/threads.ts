/**
 * Builds countries side by side. They begin in the order in which the index takes them, so that it is written meanwhile.
 * Memory grows with the number of threads and the largest country.
 */
import { Worker } from 'node:worker_threads'
import { cityLines } from '../../datasets/reference/cities-500.ts'
import type { Source, SourcePart } from '../../datasets/source.ts'
import { partOf } from '../../datasets/source-part.ts'
import { threadsLoaded } from '../../src/platform/pool-threads.ts'
import { membersOf } from '../rows/postal-unions.ts'
import { type BuiltUnion, buildUnion, type Union } from './stages.ts'
import type { BuiltTask, UnionTask, WorkerSetup } from './union-worker.ts'

const WORKER_FILE = new URL('./union-worker.js', import.meta.url)

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
  const tasks = count > 1 ? tasksOf(unions, sources) : []
  const setup: WorkerSetup = { cities: cityLines(), tasks, next: new Int32Array(new SharedArrayBuffer(4)) }
  const workers = Array.from(tasks.slice(0, count), () => new Worker(WORKER_FILE, { workerData: setup }))
  const loaded = threadsLoaded(workers)
  const elsewhere = new Set(tasks.map(({ union: { post } }) => post))
  const arrived = new Map<string, BuiltUnion>()
  let failure: Error | undefined
  let wake = () => {}
  for (const worker of workers) {
    worker.on('message', ({ post, built }: BuiltTask) => {
      arrived.set(post, built)
      wake()
    })
    worker.on('error', error => {
      failure = error
      wake()
    })
  }
  try {
    for (const union of unions) {
      while (elsewhere.has(union.post) && !arrived.has(union.post)) {
        if (failure !== undefined) throw failure
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
      yield arrived.get(union.post) ?? buildUnion(union, sources)
      arrived.delete(union.post)
    }
  } finally {
    await loaded
    await Promise.all(workers.map(worker => worker.terminate()))
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

/** Returns the unions that another thread can read. */
function tasksOf(unions: readonly Union[], sources: readonly Source[]): UnionTask[] {
  return unions.flatMap(union => {
    const parts = partsOf(union, sources)
    return parts === undefined ? [] : [{ union, parts }]
  })
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
