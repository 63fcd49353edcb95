/** A city with very many codes: its list is made by a worker, once, and no other request waits for it. */
import t from 'tap'
import { BulkPool } from '../../src/bulk/pool.ts'
import { BulkWorkers } from '../../src/bulk/workers.ts'
import { openIndex } from '../../src/index/open-index.ts'
import { CITY_CODES_AT_ONCE } from '../../src/limits.ts'
import { startApp } from '../support/app.ts'
import { COUNTRIES, code, country, place } from '../support/countries.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { post } from '../support/post.ts'
import { RawSocket, rawPost } from '../support/raw-socket.ts'

const CODES = 20_000
const singapore = country(
  'SG',
  Array.from({ length: CODES }, (_, i) => code(String(100_000 + i), [place('Singapore', {})])),
)

/** A pool that counts the lists it is asked for, and holds them back until they are released. */
class ListingPool extends BulkPool {
  lists = 0
  gate: Promise<void> | undefined

  override async listLater(...query: Parameters<BulkPool['listLater']>): Promise<Uint8Array> {
    this.lists++
    await this.gate
    return super.listLater(...query)
  }
}

const path = writeIndex(t.testdir(), COUNTRIES.toSpliced(-1, 0, singapore))

/** An app with an index of its own, so that no list has been made yet. */
async function start(workers: number) {
  const index = openIndex(path)
  const pool = new ListingPool(index, workers === 0 ? undefined : new BulkWorkers(workers))
  return { pool, app: await startApp(t, () => pool, { index }) }
}

const { app, pool } = await start(1)
const ask = (city: string) => post(app.baseUrl, '/api/city', { apiKey: app.key, city, country: 'SG' })

t.test('a list of very many codes held the thread for 35 ms', async t => {
  t.ok(CODES > CITY_CODES_AT_ONCE)
  const first = await ask('Singapore')
  t.equal(first.status, 200)
  t.same(
    first.json.zipcodes,
    Array.from({ length: CODES }, (_, i) => String(100_000 + i)),
  )
  t.match(first.json, {
    performance: { totalTime: /^\d+ms$/ },
    rateLimit: { enabled: false },
    balance: 0.027972,
  })
  t.equal(pool.lists, 1, 'a worker made it')
  const close = await ask('Singapoore')
  t.match(close.json, { matchedCity: 'Singapore', balance: 0.027944 })
  t.equal(close.json.zipcodes.length, CODES)
  t.equal(pool.lists, 1, 'and it was kept')
})

t.test('requests for one list share it, and those who left are not charged', async t => {
  const { app, pool } = await start(1)
  let release = () => {}
  pool.gate = new Promise(resolve => {
    release = resolve
  })
  const body = JSON.stringify({ apiKey: app.key, city: 'Singapore', country: 'SG' })
  const leaving = await RawSocket.open(app.port)
  leaving.send(rawPost('/api/city', body))
  while (pool.lists === 0) await new Promise(resolve => setImmediate(resolve))
  const staying = Array.from({ length: 5 }, () => post(app.baseUrl, '/api/city', body))
  const other = await post(app.baseUrl, '/api/lookup', { apiKey: app.key, zipcode: '90210' })
  t.equal(other.status, 200, 'others are answered meanwhile')
  leaving.socket.destroy()
  // The server has noticed what happened before it answers two more requests.
  for (let i = 0; i < 2; i++) await (await fetch(`${app.baseUrl}/api/lookup`)).text()
  release()
  for (const { status, json } of await Promise.all(staying))
    t.same([status, json.zipcodes.length], [200, CODES])
  t.equal(pool.lists, 1)
  t.equal(app.spentMicros(), 6 * 28)
})

t.test('everybody who waited for a list was answered in one turn of the event loop', async t => {
  const { app, pool } = await start(1)
  let release = () => {}
  pool.gate = new Promise(resolve => {
    release = resolve
  })
  let turn = 0
  let isCounting = true
  const count = () => {
    turn++
    if (isCounting) setImmediate(count)
  }
  const turns: number[] = []
  const { replies } = app.parts
  const { later } = replies
  const recorded: typeof later = (res, work, body, endpoint) => {
    turns.push(turn)
    later(res, work, body, endpoint)
  }
  Object.assign(replies, { later: recorded })
  const body = JSON.stringify({ apiKey: app.key, city: 'Singapore', country: 'SG' })
  const waiting = Array.from({ length: 8 }, async () => {
    const raw = await RawSocket.open(app.port)
    raw.send(rawPost('/api/city', body))
    const answer = await raw.answer()
    raw.socket.destroy()
    return answer?.status
  })
  while (pool.lists === 0) await new Promise(resolve => setImmediate(resolve))
  // The server has read all eight before it answers two more requests.
  for (let i = 0; i < 2; i++) await (await fetch(`${app.baseUrl}/api/lookup`)).text()
  count()
  release()
  t.same(await Promise.all(waiting), new Array(8).fill(200))
  isCounting = false
  t.equal(pool.lists, 1)
  t.equal(new Set(turns).size, 8, `answered in turns ${turns}`)
})

t.test('without workers the thread makes it', async t => {
  const { app } = await start(0)
  const { json } = await post(app.baseUrl, '/api/city', { apiKey: app.key, city: 'Singapore', country: 'SG' })
  t.equal(json.zipcodes.length, CODES)
})

t.test('a failure is a 500, free, and the next request is answered', async t => {
  const { app, pool } = await start(1)
  pool.gate = Promise.reject(new Error('a worker has died'))
  pool.gate.catch(() => {})
  const body = { apiKey: app.key, city: 'Singapore', country: 'SG' }
  t.equal((await post(app.baseUrl, '/api/city', body)).status, 500)
  t.equal(app.spentMicros(), 0)
  pool.gate = undefined
  t.equal((await post(app.baseUrl, '/api/city', body)).status, 200)
})

t.test('a key that is revoked meanwhile is refused', async t => {
  const { app, pool } = await start(1)
  const { keyId, key } = await app.openAccount()
  let release = () => {}
  pool.gate = new Promise(resolve => {
    release = resolve
  })
  const answer = post(app.baseUrl, '/api/city', { apiKey: key, city: 'Singapore', country: 'SG' })
  while (pool.lists === 0) await new Promise(resolve => setImmediate(resolve))
  await app.accounts.revokeKey(keyId)
  release()
  t.equal((await answer).status, 401)
})
