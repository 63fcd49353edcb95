/** A thread of `postrie check`: maps the index, and checks one piece of the input after another. */
import { workerData } from 'node:worker_threads'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { openIndex } from '../index/open-index.ts'
import { ChunkChecker } from './check-chunk.ts'
import type { CheckPlan } from './plan.ts'

/** What every thread is given. */
export interface WorkerSetup {
  indexFile: string
  plan: CheckPlan
  /** How many threads have loaded, or failed to. */
  loaded: Int32Array
}

const { indexFile, plan, loaded } = workerData as WorkerSetup
const checker = loadedChecker()

/**
 * Counts the thread as loaded, from when on it may be ended: after this turn, in which Node.js still makes the module's exports, and
 * ends the process when the thread ends meanwhile. A thread that fails has no other turn.
 */
function loadedChecker(): ChunkChecker {
  const count = () => Atomics.add(loaded, 0, 1)
  try {
    const made = new ChunkChecker(openIndex(indexFile), plan)
    setImmediate(count)
    return made
  } catch (error) {
    count()
    throw error
  }
}

/** Checks whole records. The results are moved, not copied, to the main thread. */
export default function run(chunk: Uint8Array) {
  const checked = checker.check(chunk)
  return move({ [transferableSymbol]: checked.bytes.buffer, [valueSymbol]: checked })
}
