/** When a thread of `postrie check`, or of a server's batches, may be ended. */
import { once } from 'node:events'
import { basename, dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import t from 'tap'
import type { CheckPlan } from '../../src/pipeline/plan.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { until } from '../support/until.ts'

const BULK_FILE = fileURLToPath(new URL('../../src/bulk/worker.js', import.meta.url))
const FILE = fileURLToPath(new URL('../../src/pipeline/worker.js', import.meta.url))
const PLAN: CheckPlan = {
  from: 'csv',
  to: 'csv',
  delimiter: ',',
  lineEnd: '\n',
  columns: ['zip'],
  code: 'zip',
  countryColumn: undefined,
  country: 'US',
  fields: [],
  prefix: '',
  padsDigits: false,
  takesRagged: false,
}
const LOADING = `
  const { parentPort, workerData } = require('node:worker_threads')
  require(workerData.file)
  parentPort.postMessage(Atomics.load(workerData.loaded, 0))
  parentPort.once('message', () => {})
`

for (const file of [FILE, BULK_FILE])
  t.test(
    `a thread that was ended just before Node.js had made its exports ended the process: ${basename(dirname(file))}`,
    async t => {
      const loaded = new Int32Array(new SharedArrayBuffer(4))
      const workerData = { file, indexFile: writeIndex(t.testdir()), plan: PLAN, loaded }
      const worker = new Worker(LOADING, { eval: true, workerData })
      t.teardown(() => worker.terminate())
      t.same(await once(worker, 'message'), [0], 'the thread counts as loading until `require` has returned')
      await until(() => Atomics.load(loaded, 0) === 1)
    },
  )

t.test('a thread that cannot load is counted, since nobody waits for it for ever', async t => {
  const loaded = new Int32Array(new SharedArrayBuffer(4))
  const workerData = { file: FILE, indexFile: '/proc/none', plan: PLAN, loaded }
  const worker = new Worker(LOADING, { eval: true, workerData })
  const [error] = await once(worker, 'error')
  t.match(error, { message: /no such file/ })
  t.equal(Atomics.load(loaded, 0), 1)
})
