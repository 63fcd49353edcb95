/** What is found in a batch before it is read, against `JSON.parse`. */
import fc from 'fast-check'
import t from 'tap'
import { BatchSurveyor, surveyBatch } from '../../src/api/request/batch-survey.ts'
import { decodedText } from '../../src/api/request/fields.ts'
import { damaged, jsonText, objectText, parseObject, trickyText, valueText } from '../support/json-bodies.ts'

const names = fc.oneof(
  { weight: 4, arbitrary: jsonText(fc.constantFrom('apiKey', 'records')) },
  jsonText(fc.oneof(trickyText, fc.constantFrom('apiKe', 'apiKeyy', 'record', 'recordss'))),
)
const nested = objectText(names, fc.oneof(valueText, fc.constantFrom('[[],{}]', '{"records":[1,2]}')), 4)
const lists = fc
  .array(fc.oneof(valueText, nested), { maxLength: 4 })
  .chain(items => fc.constantFrom('', ' ', '\n').map(space => `[${space}${items.join(`${space},`)}${space}]`))
const bodies = damaged(fc.oneof(objectText(names, fc.oneof(valueText, lists, nested), 5), valueText))

t.test('the key and the number of records are those that JSON.parse finds', async t => {
  let keys = 0
  let lists = 0
  fc.assert(
    fc.property(bodies, body => {
      const survey = surveyBatch(body)
      const value = parseObject(body)
      if (value === undefined) return true
      if (survey === undefined) return false
      const key = Object.hasOwn(value, 'apiKey') ? value.apiKey : undefined
      const records = Object.hasOwn(value, 'records') && Array.isArray(value.records) ? value.records : []
      if (typeof key === 'string') keys++
      if (records.length > 0) lists++
      const text = survey.apiKey && Buffer.from(decodedText(body, survey.apiKey.start, survey.apiKey.end))
      const expected = typeof key === 'string' ? Buffer.from(key) : undefined
      return text?.toString('hex') === expected?.toString('hex') && survey.records === records.length
    }),
    { numRuns: 20_000 },
  )
  t.ok(keys > 300 && lists > 300, `${keys} with a key, ${lists} with records`)
})

t.test('what is not an object', async t => {
  for (const text of ['', ' ', '[]', '"x"', 'null', '\ufeff{}'])
    t.equal(surveyBatch(Buffer.from(text)), undefined, text)
})

t.test('a dense batch of a stranger was surveyed in one turn of 2 to 4 ms: pieces find the same', async t => {
  fc.assert(
    fc.property(bodies, fc.integer({ min: 1, max: 40 }), (body, bytes) => {
      const whole = surveyBatch(body)
      const surveyor = new BatchSurveyor(body)
      let pieces = 1
      while (!surveyor.advance(bytes)) pieces++
      const isBounded = pieces <= Math.ceil(body.length / bytes) + 1
      return isBounded && JSON.stringify(surveyor.survey) === JSON.stringify(whole)
    }),
    { numRuns: 20_000 },
  )
  t.pass('at every length of piece')
})
