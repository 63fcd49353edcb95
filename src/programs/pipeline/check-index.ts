/** Checks pieces against an index file, on threads. */
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { finishesWithin, threadsLoaded } from '../../platform/promises.ts'
import { MINUTE_MS } from '../../platform/time.ts'
import type { CheckerOptions } from './check.ts'
import type { WorkerSetup } from './index-worker.ts'
import type { CheckedPiece } from './input-records.ts'

/** Maximum time for a thread to load before it is ended. Usually tens of milliseconds. */
const LOADING_MS_MAX = MINUTE_MS
const WORKER_FILE = fileURLToPath(new URL('./index-worker.js', import.meta.url))
/** Pieces in flight per thread: one is checked while the next one waits. */
const PIECES_PER_THREAD = 2

export function indexChecker(indexFile: string, build: string, threads: number): CheckerOptions {
  return {
    build,
    open(plan) {
      const pool = new Piscina<Uint8Array, CheckedPiece>({
        filename: WORKER_FILE,
        minThreads: threads,
        maxThreads: threads,
        // Pieces are written in their order.
        stricterFIFO: true,
        workerData: { indexFile, plan } satisfies WorkerSetup,
      })
      const loaded = threadsLoaded(pool.threads)
      return {
        concurrency: threads * PIECES_PER_THREAD,
        check: piece => pool.run(piece, { transferList: [piece.buffer] }),
        async close() {
          await finishesWithin(loaded, LOADING_MS_MAX)
          await pool.destroy()
        },
      }
    },
  }
}
