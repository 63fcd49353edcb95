/** The key comes before the records: a stranger's batch never costs a worker's time. */
import t from 'tap'
import type { BulkResult } from '../../src/bulk/bulk-result.ts'
import type { BulkTask } from '../../src/bulk/pool.ts'
import { BulkWorkers } from '../../src/bulk/workers.ts'
import { BULK_THRESHOLD_BYTES, RATE_LIMIT_MAX } from '../../src/limits.ts'
import { startApp } from '../support/app.ts'
import { post } from '../support/post.ts'

/** Counts the batches that reach a worker. */
class CountingWorkers extends BulkWorkers {
  batches = 0

  override run(task: BulkTask): Promise<BulkResult> {
    this.batches++
    return super.run(task)
  }
}

const workers = new CountingWorkers(1)
const app = await startApp(t, workers)
// Pays for all of the cases.
const { id } = app.accounts.listAccounts()[0]
await app.accounts.credit({ account: id, micros: 5_000_000, kind: 'operator', reference: 'test' })

const PATH = '/api/validate-bulk'
/** A key of the right form that nobody has. */
const UNKNOWN_KEY = 'pk_live_0000000000000000000000000000000hLQIq'
const MANY = 600
const RECORDS = JSON.stringify(new Array(MANY).fill({ postalCode: '90210', countryCode: 'US' }))
const key = JSON.stringify(app.key)
const unknown = JSON.stringify(UNKNOWN_KEY)

/** Posts a large body. @returns its status, its error, and whether it reached a worker */
async function large(body: string): Promise<[status: number, error: string | undefined, reached: boolean]> {
  if (body.length < BULK_THRESHOLD_BYTES) throw new Error('the body is small enough to be answered at once')
  const before = workers.batches
  const { status, json } = await post(app.baseUrl, PATH, body)
  return [status, json.error, workers.batches > before]
}

const INVALID = [401, 'Invalid API key', false]
const MISSING = [400, 'Missing required field: apiKey', false]
const ANSWERED = [200, undefined, true]

t.test('a batch with a wrong key cost a full validation and a place in the queue', async t => {
  const cases: Record<string, string> = {
    'key first': `{"apiKey":${unknown},"records":${RECORDS}}`,
    'key last': `{"records":${RECORDS},"apiKey":${unknown}}`,
    'white space': `{\n "apiKey"\n:\t${unknown} , "records": ${RECORDS}}`,
    'another form': `{"apiKey":"x","records":${RECORDS}}`,
    'an escaped name': `{"api\\u004bey":${unknown},"records":${RECORDS}}`,
    'escapes everywhere': `{"records":[${'{"\\u0061":"\\u0062"},'.repeat(2000)}{}],"apiKey":${unknown}}`,
    'many keys': `{${`"apiKey":${unknown},`.repeat(400)}"records":${RECORDS}}`,
  }
  for (const [name, body] of Object.entries(cases)) t.same(await large(body), INVALID, name)
})

t.test('a batch without a key likewise', async t => {
  const cases: Record<string, string> = {
    'no key': `{"records":${RECORDS}}`,
    'an empty key': `{"apiKey":"","records":${RECORDS}}`,
    'a number': `{"apiKey":1,"records":${RECORDS}}`,
    'a key in a record': `{"records":[{"apiKey":${unknown}},${RECORDS}]}`,
    'a key as a value': `{"x":"apiKey","records":${RECORDS}}`,
  }
  for (const [name, body] of Object.entries(cases)) t.same(await large(body), MISSING, name)
  t.same(await large(`[${RECORDS}]`), [400, 'Invalid JSON body', false], 'not an object')
})

t.test('a valid key is found wherever it stands and however it is written', async t => {
  const escaped = `"\\u0070${app.key.slice(1)}"`
  const cases: Record<string, string> = {
    'key first': `{"apiKey":${key},"records":${RECORDS}}`,
    'key last': `{"records":${RECORDS},"apiKey":${key}}`,
    'key in the middle': `{"a":1,"apiKey":${key},"b":{"apiKey":"x"},"records":${RECORDS},"c":"apiKey"}`,
    'an escaped name': `{"records":${RECORDS},"api\\u004Bey" : ${key}}`,
    'an escaped value': `{"records":${RECORDS},"apiKey":${escaped}}`,
    'the last of several': `{"apiKey":${unknown},"apiKey":"y","apiKey":${key},"x":"apiKey","records":${RECORDS}}`,
    'nested text that looks like an end': `{"x":"}]\\"","y":[[{}]],"apiKey":${key},"z":"\\\\","records":${RECORDS}}`,
  }
  for (const [name, body] of Object.entries(cases)) t.same(await large(body), ANSWERED, name)
})

t.test('which key is charged, the full reading decides: the last of several', async t => {
  const [status, error] = await large(`{"apiKey":${key},"records":${RECORDS},"apiKey":${unknown}}`)
  t.same([status, error], [401, 'Invalid API key'])
})

t.test('a batch that cannot be charged is refused with what is wrong first', async t => {
  const account = await app.openAccount()
  const body = (count: number) =>
    JSON.stringify({
      records: new Array(count).fill({ postalCode: '90210', countryCode: 'US' }),
      apiKey: account.key,
    })
  t.same((await large(body(999)))[0], 200)
  t.same((await large(body(MANY))).slice(0, 2), [402, 'Insufficient balance for bulk request'])
  t.same((await large(body(1001)))[0], 400, 'a batch that nobody may send is refused for that')
  await app.accounts.setLimits(account.id, { perMinute: null, perHour: null, perDay: 100 })
  const counted = () => app.accounts.presentUse(account.id).day
  t.same((await large(body(MANY)))[0], 429, 'the limit comes before the balance')
  t.equal(counted(), 0, 'and is not counted')
  await app.accounts.setLimits(account.id, { perMinute: null, perHour: null, perDay: RATE_LIMIT_MAX })
  t.same((await large(body(MANY)))[0], 402, 'the balance comes after the limit')
  t.equal(counted(), MANY, 'and is counted like every request that the limiter lets through')
})
