/** Bulk worker. The ledger thread lends it the index in shared memory for each task. */
import { getPriority, setPriority } from 'node:os'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { borrowIndex } from '../../postal/index/index-memory.ts'
import { AnswerMaker } from './answer-maker.ts'
import { TAIL_BYTES, type WorkerAnswer } from './worker-result.ts'
import type { WorkerTask } from './workers.ts'

const NICENESS = 10

lowerPriority()

/** Maker of the last task's answer. Its index may be released, unless the next task has the same. */
let last: { id: number; maker: AnswerMaker } | undefined

/** Runs one task. The bytes of its result are copied once, and moved to the ledger thread. */
export default async function run({ index, name, body }: WorkerTask) {
  if (last?.id !== index.id) last = { id: index.id, maker: new AnswerMaker(await borrowIndex(index)) }
  const result = last.maker.make(name, body)
  const apiKey = result.apiKey.slice()
  if (result.error !== null) return { ...result, apiKey }
  const { length } = result
  const bytes = Buffer.allocUnsafeSlow(length + TAIL_BYTES)
  bytes.set(result.bytes.subarray(0, length))
  const answer: WorkerAnswer = { ...result, apiKey, bytes }
  // Piscina unwraps only values marked by `move`.
  return move({ [transferableSymbol]: bytes.buffer, [valueSymbol]: answer })
}

/**
 * Lowers the priority of this thread. Only Linux has priorities of threads. Beside a saturated worker on two
 * cores, the median look-up takes 1.3 times as long as alone; without this, 2.4 times.
 */
function lowerPriority(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(getPriority() + NICENESS)
  } catch {
    // A container may forbid the call. Bulk requests then have the priority of other requests.
  }
}
