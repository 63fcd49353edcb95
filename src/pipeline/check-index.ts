/** Checks pieces against an index file, on threads. */
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { threadsLoaded } from '../platform/pool-threads.ts'
import { finishesWithin, MINUTE_MS } from '../platform/time.ts'
import type { CheckerOptions } from './check.ts'
import type { WorkerSetup } from './index-worker.ts'
import type { CheckedPiece } from './records.ts'

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
        workerData: { indexFile, plan } satisfies WorkerSetup,
      })
      const loaded = threadsLoaded(pool.threads)
      // A thread may fail between two pieces, or before the first.
      const failed = new Promise<never>((_resolve, reject) => pool.on('error', reject))
      failed.catch(() => {})
      return {
        concurrency: threads * PIECES_PER_THREAD,
        check: piece => Promise.race([pool.run(piece, { transferList: [piece.buffer] }), failed]),
        async close() {
          await finishesWithin(loaded, LOADING_MS_MAX)
          await pool.destroy()
        },
      }
    },
  }
}
