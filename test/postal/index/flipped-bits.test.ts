/** `POSTRIE_FLIPS=100000` asks for more than the 250 flips of every run. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import { writeIndex } from '../../support/fixture-index.ts'
import type { FlipReport, FlipTask } from './flip-bits.ts'
import { RICH_COUNTRIES } from './rich-countries.ts'

const FLIPS = Number(process.env.POSTRIE_FLIPS ?? 250)
const SEED = Number(process.env.POSTRIE_SEED ?? 1)
/** Maximum time between two reports. A hundred flips take a fraction of a second. */
const HANG_MS = 60_000

t.setTimeout(0)

t.test('a flipped bit never crashes or hangs a query', async t => {
  const folder = t.testdir({ ledger: {} })
  const file = readFileSync(writeIndex(folder, RICH_COUNTRIES))
  const task: FlipTask = { file, flips: FLIPS, seed: SEED, folder: `${folder}/ledger` }
  const worker = new Worker(new URL('./flip-bits.js', import.meta.url), { workerData: task })
  const ended = once(worker, 'exit')
  let last: FlipReport = { done: 0, refused: 0, failed: 0, faults: [] }
  while (last.done < FLIPS) {
    const signal = AbortSignal.timeout(HANG_MS)
    const message = await once(worker, 'message', { signal }).catch((error: Error) => error)
    if (message instanceof Error) {
      t.fail(`no answer within ${HANG_MS} ms after flip ${last.done} of seed ${SEED}: ${message}`)
      await worker.terminate()
      return
    }
    last = message[0]
  }
  await ended
  t.same(last.faults.slice(0, 10), [], `${last.faults.length} faults with seed ${SEED}`)
  t.ok(last.refused > 0 && last.failed > 0, 'damage is found when a file is opened, and when it is read')
  t.comment(`${FLIPS} flips, ${last.refused} files refused, ${last.failed} with questions refused`)
})
