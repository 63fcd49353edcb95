import t from 'tap'
import { BATCH_THRESHOLD_BYTES, RATE_LIMIT_MAX } from '../../../src/platform/limits.ts'
import { startApp } from '../../support/app.ts'
import { post } from '../../support/post.ts'

const app = await startApp(t)
const { id } = app.accounts.listAccounts()[0]
await app.accounts.credit({ account: id, micros: 5_000_000, kind: 'operator', reference: 'test' })

const PATH = '/api/validate-bulk'
/** A well-formed key that does not exist. */
const UNKNOWN_KEY = 'pk_live_0000000000000000000000000000000hLQIq'
const MANY = 600
const RECORDS = JSON.stringify(new Array(MANY).fill({ postalCode: '90210', countryCode: 'US' }))
const MALFORMED = JSON.stringify(new Array(MANY).fill({ postalCode: 90210, countryCode: 'US' }))
const key = JSON.stringify(app.key)
const unknown = JSON.stringify(UNKNOWN_KEY)

/** Posts a large body. @returns status and error */
async function postLarge(body: string): Promise<[status: number, error: string | undefined]> {
  if (body.length < BATCH_THRESHOLD_BYTES) throw new Error('the body is small enough to be answered at once')
  const { status, json } = await post(app.baseUrl, PATH, body)
  return [status, json.error]
}

const INVALID = [401, 'Invalid API key']
const MISSING = [400, 'Missing required field: apiKey']
const ANSWERED = [200, undefined]

t.test('a batch with a wrong key is 401, whatever its records are', async t => {
  const cases: Record<string, string> = {
    'key first': `{"apiKey":${unknown},"records":${MALFORMED}}`,
    'key last': `{"records":${MALFORMED},"apiKey":${unknown}}`,
    'white space': `{\n "apiKey"\n:\t${unknown} , "records": ${MALFORMED}}`,
    'another form': `{"apiKey":"x","records":${MALFORMED}}`,
    'an escaped name': `{"api\\u004bey":${unknown},"records":${MALFORMED}}`,
    'escapes everywhere': `{"records":[${'{"\\u0061":"\\u0062"},'.repeat(2000)}{}],"apiKey":${unknown}}`,
    'many keys': `{${`"apiKey":${unknown},`.repeat(400)}"records":${MALFORMED}}`,
  }
  for (const [name, body] of Object.entries(cases)) t.same(await postLarge(body), INVALID, name)
})

t.test('a batch without a key is 400, whatever its records are', async t => {
  const cases: Record<string, string> = {
    'no key': `{"records":${MALFORMED}}`,
    'an empty key': `{"apiKey":"","records":${MALFORMED}}`,
    'a number': `{"apiKey":1,"records":${MALFORMED}}`,
    'a key in a record': `{"records":[{"apiKey":${unknown}},${MALFORMED}]}`,
    'a key as a value': `{"x":"apiKey","records":${MALFORMED}}`,
  }
  for (const [name, body] of Object.entries(cases)) t.same(await postLarge(body), MISSING, name)
  t.same(await postLarge(`[${MALFORMED}]`), [400, 'Invalid JSON body'], 'not an object')
})

t.test('a valid key is found at any place and in any spelling', async t => {
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
  for (const [name, body] of Object.entries(cases)) t.same(await postLarge(body), ANSWERED, name)
})

t.test('the last of several keys is charged', async t => {
  t.same(await postLarge(`{"apiKey":${key},"records":${RECORDS},"apiKey":${unknown}}`), INVALID)
})

t.test('a batch is checked for its size, then the limit, then the balance', async t => {
  const account = await app.openAccount()
  const body = (count: number) =>
    JSON.stringify({
      records: new Array(count).fill({ postalCode: '90210', countryCode: 'US' }),
      apiKey: account.key,
    })
  t.same((await postLarge(body(999)))[0], 200)
  t.same(await postLarge(body(MANY)), [402, 'Insufficient balance for bulk request'])
  t.same((await postLarge(body(1001)))[0], 400, 'the size comes first')
  await app.accounts.setLimits(account.id, { perMinute: null, perHour: null, perDay: 100 })
  const counted = () => app.accounts.currentQueries(account.id).currentDay
  t.same((await postLarge(body(MANY)))[0], 429, 'the limit comes before the balance')
  t.equal(counted(), 0, 'a refused batch is not counted')
  await app.accounts.setLimits(account.id, { perMinute: null, perHour: null, perDay: RATE_LIMIT_MAX })
  t.same((await postLarge(body(MANY)))[0], 402, 'the balance comes after the limit')
  t.equal(counted(), MANY, 'an admitted batch counts')
})
