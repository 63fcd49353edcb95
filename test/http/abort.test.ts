/** Clients that go away: nobody is charged for an answer that cannot be delivered. */
import t from 'tap'
import type { BulkResult } from '../../src/bulk/bulk-result.ts'
import type { BulkTask } from '../../src/bulk/pool.ts'
import { BulkWorkers } from '../../src/bulk/workers.ts'
import { BULK_THRESHOLD_BYTES } from '../../src/limits.ts'
import { startApp } from '../support/app.ts'
import { post } from '../support/post.ts'
import { RawSocket, rawPost } from '../support/raw-socket.ts'

/** Workers whose results are held back until the test releases them. */
class HeldWorkers extends BulkWorkers {
  gate: Promise<void> | undefined
  results: Promise<BulkResult>[] = []

  override async run(task: BulkTask): Promise<BulkResult> {
    const result = this.#held(super.run(task))
    this.results.push(result)
    return result
  }

  async #held(result: Promise<BulkResult>): Promise<BulkResult> {
    await this.gate
    return result
  }
}

const workers = new HeldWorkers(1)
const app = await startApp(t, workers)
const record = { postalCode: '90210', countryCode: 'US' }

/** A batch that goes to the pool. */
function bulkBody(count: number): string {
  const body = JSON.stringify({ apiKey: app.key, records: new Array(count).fill(record) })
  if (body.length < BULK_THRESHOLD_BYTES) throw new Error(`${count} records never reach the pool`)
  return body
}

/** Resolves after two more answers: by then the server has seen that a connection was closed. */
async function serverCaughtUp(): Promise<void> {
  for (let i = 0; i < 2; i++) await (await fetch(`${app.baseUrl}/api/lookup`)).text()
}

t.test('while a bulk request is in progress', async t => {
  const before = app.spentMicros()
  const release = holdResults()
  const raw = await RawSocket.open(app.port)
  raw.send(rawPost('/api/validate-bulk', bulkBody(500)))
  await inProgress(1)
  raw.socket.destroy()
  await serverCaughtUp()
  release()
  await allSettled()
  t.equal(app.spentMicros(), before, 'nothing is charged')
  const { json } = await post(app.baseUrl, '/api/validate-bulk', { apiKey: app.key, records: [record] })
  t.equal(json.results.length, 1, 'and the next request is served')
  t.equal(app.spentMicros(), before + 28)
})

t.test('a request after a bulk request in progress ends the connection, uncharged', async t => {
  const before = app.spentMicros()
  const release = holdResults()
  const raw = await RawSocket.open(app.port)
  raw.send(rawPost('/api/validate-bulk', bulkBody(600)))
  await inProgress(1)
  raw.send(rawPost('/api/lookup', JSON.stringify({ apiKey: app.key, zipcode: '90210' })))
  t.equal(await raw.closed(), '', 'uWebSockets.js allows no second request while a reply is pending')
  release()
  await allSettled()
  t.equal(app.spentMicros(), before)
})

/** Holds back the results from now on. @returns what releases them */
function holdResults(): () => void {
  let release = () => {}
  const gate = new Promise<void>(resolve => {
    release = resolve
  })
  Object.assign(workers, { gate, results: [] })
  return release
}

/** Resolves when `count` bodies have reached the pool. */
async function inProgress(count: number): Promise<void> {
  while (workers.results.length < count) await new Promise(resolve => setImmediate(resolve))
}

async function allSettled(): Promise<void> {
  await Promise.all(workers.results)
  await new Promise(resolve => setImmediate(resolve))
}
