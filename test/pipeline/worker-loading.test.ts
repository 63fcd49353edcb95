/** When the threads of `postrie check`, and those of a server's batches, are ended. */
import { join } from 'node:path'
import t from 'tap'
import { BulkWorkers } from '../../src/bulk/workers.ts'
import { indexChecker } from '../../src/pipeline/check-index.ts'
import type { CheckPlan } from '../../src/pipeline/plan.ts'
import { writeIndex } from '../support/fixture-index.ts'

const PLAN: CheckPlan = {
  from: 'csv',
  to: 'csv',
  delimiter: ',',
  lineEnd: '\n',
  columns: ['zip'],
  code: 'zip',
  countryColumn: undefined,
  city: undefined,
  state: undefined,
  verify: false,
  compared: [],
  added: ['valid', 'normalized', 'reason', 'detail'],
  country: 'US',
  fields: [],
  prefix: '',
  padDigits: false,
  ragged: false,
}
const THREADS = 2
/** More than tap waits: a thread that never says that it has loaded fails the test. */
const NO_GRACE_MS = 300_000

const records = () => Uint8Array.from(Buffer.from('90210\n'))

t.test('threads that were ended while they loaded ended the process', async () => {
  const indexFile = writeIndex(t.testdir())
  for (let i = 0; i < 3; i++) {
    await indexChecker(indexFile, 'build', THREADS).open(PLAN).close()
    const workers = new BulkWorkers(THREADS, NO_GRACE_MS)
    await workers.start()
    await workers.close()
  }
})

t.test('threads that wait for a task, and cannot hear anything else, were waited for', async t => {
  const workers = new BulkWorkers(THREADS, NO_GRACE_MS)
  const pool = await workers.start()
  await Promise.all(pool.threads.map(thread => new Promise(resolve => thread.once('message', resolve))))
  await workers.close()
  const checker = indexChecker(writeIndex(t.testdir()), 'build', THREADS).open(PLAN)
  const { counts } = await checker.check(records(), new AbortController().signal)
  t.equal(counts.records, 1)
  await checker.close()
})

t.test('threads that cannot load are not waited for', async t => {
  const checker = indexChecker(join(t.testdir(), 'none.postrie'), 'build', THREADS).open(PLAN)
  await t.rejects(checker.check(records(), new AbortController().signal), { code: 'ENOENT' })
  await checker.close()
})
