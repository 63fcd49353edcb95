/** MessagePack: the same answers as JSON on every endpoint, and nothing that JSON would not let through. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { pack, unpack } from 'msgpackr'
import t from 'tap'
import { BulkPool } from '../../src/bulk/pool.ts'
import { OPERATIONS } from '../../src/openapi/operations.ts'
import { PackedReader } from '../../src/text/json-from-packed.ts'
import { startApp } from '../support/app.ts'

// Hundreds of requests, on a machine that may be busy.
t.setTimeout(120_000)

const TYPE = 'application/msgpack'
const BYTES_MAX = 1024 * 1024
const reader = new PackedReader()
// Wrong keys are sent more often than one address may.
const app = await startApp(t, undefined, { keyFailuresMax: 10_000 })
const { baseUrl, key } = app

/** Times and balances differ between two requests. */
function settled(answer: Record<string, unknown>): Record<string, unknown> {
  const { balance, performance, responseTime, ...rest } = answer
  return { ...rest, has: [typeof balance, performance && Object.keys(performance), typeof responseTime] }
}

async function ask(
  path: string,
  body: unknown,
  sent: 'json' | 'packed',
  wanted: 'json' | 'packed',
  origin = baseUrl,
) {
  const response = await fetch(origin + path, {
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

t.test('a large batch in MessagePack became JSON before its key was checked', async t => {
  const { key: poor } = await app.openAccount()
  const record = { postalCode: '90210', countryCode: 'US' }
  const records = Array.from({ length: 1000 }, () => record)
  const note = '\u0001'.repeat(200_000)
  const path = '/api/validate-bulk'
  // As JSON, the note is longer than a body may be.
  for (const [body, status, error] of [
    [{ records, apiKey: 'pk_live_nobody', note }, 401, 'Invalid API key'],
    [{ records, apiKey: 'x'.repeat(100_000), note }, 401, 'Invalid API key'],
    [{ records, note }, 400, 'Missing required field: apiKey'],
    [{ records, apiKey: '', note }, 400, 'Missing required field: apiKey'],
    [{ records, apiKey: 1, note }, 400, 'Missing required field: apiKey'],
    [{ note, apiKey: key, records: [...records, record] }, 400, 'Invalid JSON body'],
    [{ records: [...records, ...records], apiKey: poor }, 400, /exceeds maximum of 1000/],
    [{ records: records.slice(0, 900), apiKey: poor }, 200, undefined],
    [{ records, apiKey: poor, note }, 402, 'Insufficient balance for bulk request'],
  ] as const)
    t.match(await ask(path, body, 'packed', 'packed'), { status, value: { error } }, `${status} ${error}`)
  t.same(app.errors, [])
})

t.test('without workers, large batches are answered alike', async t => {
  const alone = await startApp(t, index => new BulkPool(index), { keyFailuresMax: 10_000 })
  const records = Array.from({ length: 900 }, (_, i) => ({
    postalCode: String(90_000 + i),
    countryCode: 'US',
  }))
  const bodyOf = (apiKey: string) => ({ a: 'x'.repeat(200_000), apiKey, b: 'x'.repeat(5000), records })
  const answers = []
  for (const sent of FORMS)
    for (const wanted of FORMS) {
      const { key: fresh } = await alone.openAccount()
      answers.push(await ask('/api/lookup-bulk', bodyOf(fresh), sent, wanted, alone.baseUrl))
    }
  for (const answer of answers) t.same(answer, answers[0])
  t.equal(answers[0].status, 200)
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

t.test('a body becomes the JSON of the same value, and one that is cut short becomes none', async () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), value => {
      const bytes = pack(value)
      const json = reader.json(bytes, BYTES_MAX)
      assert.deepEqual(JSON.parse(String(json)), JSON.parse(JSON.stringify(value)))
      assert.equal(reader.json(bytes.subarray(0, bytes.length - 1), BYTES_MAX), undefined)
      assert.equal(reader.json(Buffer.concat([bytes, bytes]), BYTES_MAX), undefined)
      assert.equal(reader.json(bytes, (json as Buffer).length - 1), undefined)
    }),
    { seed: 5, numRuns: 2000 },
  )
})

t.test('integers of eight bytes are numbers', async t => {
  const json = (hex: string) => String(reader.json(Buffer.from(hex, 'hex'), BYTES_MAX))
  t.equal(json('cf0000000000016062'), '90210')
  t.equal(json('d3ffffffffffffffff'), '-1')
  t.equal(json('cfffffffffffffffff'), '18446744073709551615')
})

t.test('a stranger cannot have the thread build what was sent', async t => {
  const items = (item: string, count: number) =>
    Buffer.concat([
      Buffer.from(`dd${count.toString(16).padStart(8, '0')}`, 'hex'),
      Buffer.from(item.repeat(count), 'hex'),
    ])
  t.equal(reader.json(items('81cd012cc0', 200_000), BYTES_MAX), undefined, 'numbers are no names')
  t.equal(reader.json(items('80', 1_000_000), BYTES_MAX), undefined, 'more values than a batch can use')
  t.equal(
    reader.json(Buffer.from('ddffffffff', 'hex'), BYTES_MAX),
    undefined,
    'a length alone reserves nothing',
  )
  t.equal(reader.json(Buffer.from(`dbffffffff${'61'.repeat(50)}`, 'hex'), BYTES_MAX), undefined)
  t.equal(
    reader.json(items(`a6${'01'.repeat(6)}`, 30_000), BYTES_MAX),
    undefined,
    'longer as JSON than a body may be',
  )
  t.ok(reader.json(items('80', 65_535), BYTES_MAX))
})
