/** A bulk worker: reads batches from the index in the memory of the main thread, which lends it for each task. */
import { getPriority, setPriority } from 'node:os'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { borrowedIndex } from '../index/served-index.ts'
import { BatchReader } from './batch-reader.ts'
import { type ReadBatch, TAIL_BYTES } from './bulk-result.ts'
import type { BulkTask } from './pool.ts'

const NICENESS = 10

goBehindRequests()

/** The reader of the last task. Its index may have been released, unless the next task comes with the same. */
let last: { id: number; reader: BatchReader } | undefined

/** Does one task. The bytes of its result are copied once, and moved to the main thread. */
export default async function run({ index, name, body }: BulkTask) {
  if (last?.id !== index.id) last = { id: index.id, reader: new BatchReader(await borrowedIndex(index)) }
  const result = last.reader.read(name, body)
  const apiKey = result.apiKey.slice()
  if (result.error !== null) return { ...result, apiKey }
  const { length } = result
  const bytes = Buffer.allocUnsafeSlow(length + TAIL_BYTES)
  bytes.set(result.bytes.subarray(0, length))
  const answer: ReadBatch = { ...result, apiKey, bytes }
  // Piscina unwraps only what `move` has marked.
  return move({ [transferableSymbol]: bytes.buffer, [valueSymbol]: answer })
}

/**
 * Lets single requests go before batches where there are fewer cores than busy threads: while batches saturate a worker on two
 * cores, the median look-up takes 1.3 times as long as alone, and 2.4 times without this. Only on Linux can a thread have a
 * priority of its own. A system that filters its calls may refuse it, and then batches are as urgent as requests.
 */
function goBehindRequests(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(getPriority() + NICENESS)
  } catch {
    // A worker that is as urgent as the others still does its tasks.
  }
}
