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
}

const { indexFile, plan } = workerData as WorkerSetup
const checker = new ChunkChecker(openIndex(indexFile), plan)

/** Checks whole records. The results are moved, not copied, to the main thread. */
export default function run(chunk: Uint8Array) {
  const checked = checker.check(chunk)
  return move({ [transferableSymbol]: checked.bytes.buffer, [valueSymbol]: checked })
}
