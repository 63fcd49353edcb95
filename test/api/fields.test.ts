/** The scanner of single-record bodies against `JSON.parse`. */
import fc from 'fast-check'
import t from 'tap'
import { FIELD, type Field, Fields } from '../../src/api/fields.ts'
import { ABSENT, NUMBER, OTHER, STRING } from '../../src/text/json-members.ts'
import { damaged, jsonText, objectText, parseObject, trickyText, valueText } from '../support/json-bodies.ts'

const FIELD_NAMES = Object.keys(FIELD)
const fieldName = fc.constantFrom(...FIELD_NAMES)
const names = fc.oneof(
  { weight: 5, arbitrary: fieldName.map(name => JSON.stringify(name)) },
  jsonText(fieldName),
  jsonText(trickyText),
)
const plainValues = fc.oneof(
  fc.stringMatching(/^[ !#-Z^-~]{0,12}$/).map(text => `"${text}"`),
  fc.integer({ min: -1e15, max: 1e15 }).map(String),
  fc.constant('null'),
)
/** Bodies that nearly every client sends, and that nobody does. */
const bodies = damaged(fc.oneof(objectText(names, plainValues), objectText(names, valueText), valueText))

function expectedKind(value: unknown): number {
  if (value === undefined || value === null) return ABSENT
  if (typeof value === 'string') return STRING
  return Number.isFinite(value) ? NUMBER : OTHER
}

/** Text of a field as an endpoint would use it; a lone surrogate becomes what UTF-8 makes of it. */
function expectedText(value: unknown): string | undefined {
  const isText = typeof value === 'string' || Number.isFinite(value)
  return isText ? Buffer.from(String(value)).toString() : undefined
}

function sameFields(fields: Fields, value: Record<string, unknown>): boolean {
  return FIELD_NAMES.every((name, number) => {
    const field = number as Field
    const expected = Object.hasOwn(value, name) ? value[name] : undefined
    if (fields.kinds[field] !== expectedKind(expected)) return false
    const text = expectedText(expected)
    return text === undefined || fields.text(field) === text
  })
}

/** Returns the text that `validate` echoes. */
function echo(fields: Fields): string {
  const text = Buffer.from(fields.bytes.slice(fields.zipcodeStart, fields.zipcodeEnd)).toString()
  return fields.kinds[FIELD.zipcode] === NUMBER ? text : `"${text}"`
}

t.test('read accepts exactly the JSON objects in valid UTF-8, and reads what JSON.parse reads', async t => {
  const fields = new Fields()
  let accepted = 0
  let echoed = 0
  fc.assert(
    fc.property(bodies, body => {
      const value = parseObject(body)
      if (!fields.read(body)) return value === undefined
      if (value === undefined || !sameFields(fields, value)) return false
      accepted++
      const zipcode = Object.hasOwn(value, 'zipcode') ? value.zipcode : undefined
      if (typeof zipcode !== 'string' && !Number.isFinite(zipcode)) return true
      echoed++
      return JSON.parse(echo(fields)) === zipcode
    }),
    { numRuns: 20_000 },
  )
  t.ok(accepted > 5000 && echoed > 500, `${accepted} of 20,000 were JSON, ${echoed} had a code`)
})
