/** Worker of `postrie check`: maps the index and checks pieces of the input. */
import { workerData } from 'node:worker_threads'
import { move, transferableSymbol, valueSymbol } from 'piscina'
import { openIndex } from '../../postal/index/open-index.ts'
import { pieceChecker } from './check-piece.ts'
import type { CheckPlan } from './plan.ts'

export interface WorkerSetup {
  indexFile: string
  plan: CheckPlan
}

const { indexFile, plan } = workerData as WorkerSetup
const check = pieceChecker(openIndex(indexFile), plan)

/** Checks a piece. The results are moved to the main thread, not copied. */
export default function run(piece: Uint8Array) {
  const checked = check(piece)
  return move({ [transferableSymbol]: checked.bytes.buffer, [valueSymbol]: checked })
}
