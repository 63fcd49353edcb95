/** A thread that fills a request log, whose blocks change hands all the time. */
import { parentPort, workerData } from 'node:worker_threads'
import { RequestLog } from '../../../src/http/activity/request-log.ts'
import { packResult } from '../../../src/http/activity/request-log-layout.ts'
import { seededRandom } from '../../support/random.ts'

const { heads, blocks, accounts, requests } = workerData as {
  heads: SharedArrayBuffer
  blocks: SharedArrayBuffer
  accounts: number
  requests: number
}
const log = new RequestLog(heads, blocks)
const random = seededRandom(3)
for (let i = 1; i <= requests; i++) {
  const slot = random(accounts)
  const code = Buffer.from(String(slot))
  // Every part of an entry says whose it is.
  log.add(slot, i, slot, slot, packResult(200, 0, slot), slot, code, 0, code.length)
}
parentPort?.postMessage('done')
