/** What is found in a batch in MessagePack before it becomes JSON. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { pack } from 'msgpackr'
import t from 'tap'
import { surveyPacked } from '../../src/api/request/packed-survey.ts'
import { PACKED_DEPTH_MAX } from '../../src/limits.ts'

const member = fc.tuple(
  fc.constantFrom('apiKey', 'records', 'apiKe', 'other', 'é'),
  fc.oneof(fc.string(), fc.array(fc.jsonValue({ maxDepth: 2 })), fc.jsonValue({ maxDepth: 3 })),
)

t.test('the key and the number of records are those of the value', async t => {
  let keys = 0
  let lists = 0
  fc.assert(
    fc.property(fc.array(member, { maxLength: 5 }), members => {
      const value: Record<string, unknown> = Object.fromEntries(members)
      const bytes = pack(value)
      const survey = surveyPacked(bytes)
      assert.ok(survey)
      const { apiKey, records } = value
      const expected = typeof apiKey === 'string' ? Buffer.from(apiKey).toString() : undefined
      const found = survey.apiKey && bytes.subarray(survey.apiKey.start, survey.apiKey.end).toString()
      assert.equal(found, expected)
      assert.equal(survey.records, Array.isArray(records) ? records.length : 0)
      if (expected !== undefined) keys++
      if (survey.records > 0) lists++
      for (const length of [0, 1, bytes.length - 1])
        assert.equal(surveyPacked(bytes.subarray(0, length)), undefined)
      assert.equal(surveyPacked(Buffer.concat([bytes, Buffer.of(0)])), undefined)
    }),
    { seed: 11, numRuns: 3000 },
  )
  t.ok(keys > 300 && lists > 300, `${keys} with a key, ${lists} with records`)
})

t.test('of several members with one name, the last counts', async t => {
  const twice = (first: unknown, last: unknown) =>
    Buffer.concat([Buffer.of(0x82), pack('apiKey'), pack(first), pack('apiKey'), pack(last)])
  t.match(surveyPacked(twice('a', 'b')), { apiKey: { start: 18, end: 19 } })
  t.equal(surveyPacked(twice('a', 1))?.apiKey, undefined)
})

t.test('what is no batch', async t => {
  const hex = (text: string) => surveyPacked(Buffer.from(text, 'hex'))
  const cases = [
    '',
    '90',
    'a0',
    'c0',
    'c1',
    '81',
    '8101',
    '8101c0',
    '81a161c1',
    '81a161c40100',
    '81a161ddffffffff',
  ]
  for (const text of [...cases, '81a161dbffffffff', 'dfffffffff', '81a161'.concat('91'.repeat(5000))])
    t.equal(hex(text), undefined, text.slice(0, 20))
  t.ok(hex(`81a161${'91'.repeat(PACKED_DEPTH_MAX - 2)}c0`))
  t.equal(hex(`81a161dd00100000${'00'.repeat(0x100000)}`), undefined, 'a million values')
})
