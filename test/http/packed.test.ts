/** MessagePack: the same answers as JSON on every endpoint, and nothing that JSON would not let through. */
import fc from 'fast-check'
import { pack, unpack } from 'msgpackr'
import t from 'tap'
import { isWhole, packedKey } from '../../src/http/packed.ts'
import { OPERATIONS } from '../../src/openapi/operations.ts'
import { startApp } from '../support/app.ts'

const TYPE = 'application/msgpack'
// Wrong keys are sent more often than one address may.
const app = await startApp(t, undefined, { keyFailuresMax: 10_000 })
const { baseUrl, key } = app

/** Times and balances differ between two requests. */
function settled(answer: Record<string, unknown>): Record<string, unknown> {
  const { balance, performance, responseTime, ...rest } = answer
  return { ...rest, has: [typeof balance, performance && Object.keys(performance), typeof responseTime] }
}

async function ask(path: string, body: unknown, sent: 'json' | 'packed', wanted: 'json' | 'packed') {
  const response = await fetch(baseUrl + path, {
    method: 'POST',
    headers: {
      'Content-Type': sent === 'packed' ? TYPE : 'application/json',
      Accept: wanted === 'packed' ? `${TYPE}, */*;q=0.1` : '*/*',
    },
    body: sent === 'packed' ? new Uint8Array(pack(body)) : JSON.stringify(body),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const type = response.headers.get('Content-Type')
  t.equal(type, wanted === 'packed' ? TYPE : 'application/json', `${path} ${sent} ${wanted}`)
  return {
    status: response.status,
    value: settled(wanted === 'packed' ? unpack(bytes) : JSON.parse(bytes.toString())),
  }
}

const FORMS = ['json', 'packed'] as const

t.test('every endpoint answers alike in both forms', async t => {
  for (const { path, example } of OPERATIONS) {
    for (const apiKey of [key, 'pk_live_nobody', '']) {
      const body = { ...(example.request as object), apiKey }
      const plain = await ask(path, body, 'json', 'json')
      for (const sent of FORMS)
        for (const wanted of FORMS)
          t.same(await ask(path, body, sent, wanted), plain, `${path} ${sent} ${wanted}`)
    }
  }
})

t.test('a large batch, and its errors', async t => {
  const records = Array.from({ length: 1000 }, (_, i) => ({
    postalCode: String(90_000 + i),
    countryCode: 'US',
  }))
  const { id, key: rich } = await app.openAccount()
  await app.accounts.credit({ account: id, micros: 10_000_000, reference: 'rich', kind: 'payment' })
  for (const path of ['/api/validate-bulk', '/api/lookup-bulk'])
    for (const apiKey of [rich, 'pk_live_nobody', undefined]) {
      const plain = await ask(path, { records, apiKey }, 'json', 'json')
      t.same(await ask(path, { records, apiKey }, 'packed', 'packed'), plain, `${path}, ${plain.status}`)
      t.same(await ask(path, { apiKey, records }, 'packed', 'json'), plain)
    }
})

t.test('what is malformed is no request', async t => {
  const bodies = [
    '',
    'c1',
    '81',
    'ddffffffff',
    '81a161dd7fffffff',
    'dfffffffff',
    'd40001',
    'd50000',
    '91'.repeat(5000),
    'c3c3',
  ]
  for (const hex of [...bodies, `${'91'.repeat(40)}c0`]) {
    const response = await fetch(`${baseUrl}/api/lookup`, {
      method: 'POST',
      headers: { 'Content-Type': TYPE },
      body: new Uint8Array(Buffer.from(hex, 'hex')),
    })
    t.match(await response.json(), { error: 'Invalid JSON body' }, hex.slice(0, 20))
  }
  t.same(app.errors, [])
})

t.test('the walk takes what the library writes, finds its key, and nothing cut short', async () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ maxLength: 40 }), fc.jsonValue({ maxDepth: 4 })),
      fc.string(),
      (rest, apiKey) => {
        const value = { ...rest, apiKey }
        const bytes = pack(value)
        const { start, end } = isWhole(bytes) ? { ...packedKey } : { start: -1, end: -1 }
        const isCutFound = isWhole(bytes.subarray(0, bytes.length - 1))
        return !isCutFound && bytes.toString('utf8', start, end) === apiKey
      },
    ),
    { seed: 5, numRuns: 500 },
  )
})
