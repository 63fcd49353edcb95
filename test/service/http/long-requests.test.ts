import t from 'tap'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { ENDPOINTS, type EndpointName } from '../../../src/service/endpoints/table.ts'
import type { WorkerTask } from '../../../src/service/workers/workers.ts'
import { Workers } from '../../../src/service/workers/workers.ts'
import { startApp } from '../../support/app.ts'
import { post } from '../../support/post.ts'

/** Workers that begin no task until they are released. */
class HeldWorkers extends Workers {
  readonly taken: string[] = []
  release: () => void = () => {}
  #released: Promise<void> = Promise.resolve()
  hold(): void {
    this.#released = new Promise(resolve => {
      this.release = resolve
    })
  }
  override async run(task: WorkerTask) {
    this.taken.push(task.name)
    await this.#released
    return super.run(task)
  }
}

const workers = new HeldWorkers(1)
const app = await startApp(t, workers)
const ask = (name: string, body: object) => post(app.baseUrl, `/api/${name}`, { apiKey: app.key, ...body })
const BERLIN = { latitude: 52.5, longitude: 13.4 }
const RECORDS = [{ postalCode: '90210', countryCode: 'US', city: 'Beverly Hills' }]

const LONG: readonly (readonly [name: EndpointName, body: object])[] = [
  ['list', { list: 'states' }],
  ['list', { list: 'zipcodes', limit: 2, offset: 1 }],
  ['city', { city: 'Beverly Hils', state: 'CA' }],
  ['autocomplete', { query: 'b', state: 'CA' }],
  ['nearest', { ...BERLIN, country: 'US' }],
  ['nearest', { zipcode: '90210', kind: 'box' }],
  ['metacode', { zipcode: '90210', places: true }],
]
const SHORT: readonly (readonly [name: EndpointName, body: object])[] = [
  ['city', { city: 'Beverly Hills', state: 'CA' }],
  ['autocomplete', { query: 'be' }],
  ['nearest', BERLIN],
  ['metacode', { zipcode: '90210', population: true }],
  ['verify', { zipcode: '90210', city: 'Beverly Hills' }],
  ['validate-bulk', { records: RECORDS }],
]

t.test('long requests wait for a worker, and others are answered meanwhile', async t => {
  workers.hold()
  const long = [...LONG, ['verify-bulk', { records: RECORDS }] as const]
  const answers = Promise.all(long.map(([name, body]) => ask(name, body)))
  let areAnswered = false
  void answers.then(() => {
    areAnswered = true
  })
  while (workers.taken.length < long.length && !areAnswered) await ask('balance', {})
  t.same(workers.taken.sort(), long.map(([name]) => name).sort())
  for (const [name, body] of SHORT) t.equal((await ask(name, body)).status, 200, name)
  t.equal(workers.taken.length, long.length)
  t.equal(app.spentMicros(), SHORT.length * QUERY_PRICE_MICROS, 'what waits is not charged')
  workers.release()
  for (const { status } of await answers) t.equal(status, 200)
  t.equal(app.spentMicros(), (SHORT.length + long.length) * QUERY_PRICE_MICROS)
})

t.test('an answer of a worker is that of the library, or its error', async t => {
  for (const [name, body] of LONG) {
    const { performance, rateLimit, balance, ...answer } = (await ask(name, body)).json
    t.ok(performance.totalTime && rateLimit.enabled === false && balance > 0, name)
    t.same(answer, ENDPOINTS[name].run(app.context.codes, { ...body }), name)
  }
  const before = app.spentMicros()
  const { status, json } = await ask('list', { list: 'cities', state: 'Nowhere' })
  t.match([status, json], [404, { error: 'No such state in this country' }])
  t.equal(app.spentMicros(), before, 'an error is free')
})

t.test('a key that is revoked while its request waits gets 401', async t => {
  const { keyId, key } = await app.openAccount()
  workers.taken.length = 0
  workers.hold()
  const answer = ask('list', { list: 'states', apiKey: key })
  while (workers.taken.length === 0) await ask('balance', {})
  await app.accounts.revokeKey(keyId)
  workers.release()
  t.equal((await answer).status, 401)
})

t.test('no record of a bulk request is read before its key, by no thread', async t => {
  const { baseUrl, key, context } = await startApp(t)
  const made: string[] = []
  const make = context.maker.make.bind(context.maker)
  context.maker.make = (name, body) => {
    made.push(name)
    return make(name, body)
  }
  const ask = async (body: object) =>
    (await post(baseUrl, '/api/validate-bulk', { records: RECORDS, ...body })).status
  t.same([await ask({}), await ask({ apiKey: `${key}x` }), made], [400, 401, []])
  t.same([await ask({ apiKey: key }), made], [200, ['validate-bulk']])
})
