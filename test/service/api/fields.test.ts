import fc from 'fast-check'
import t from 'tap'
import { ABSENT, NUMBER, OTHER, STRING } from '../../../src/postal/text/json-members.ts'
import { FIELD, type Field, Fields } from '../../../src/service/api/body-scanner.ts'
import {
  BODIES,
  damagedBody,
  jsonText,
  objectText,
  parseObject,
  trickyText,
  valueText,
} from '../../support/json-bodies.ts'

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
/** Bodies of ordinary clients, and bodies of no client. */
const bodies = damagedBody(fc.oneof(objectText(names, plainValues), objectText(names, valueText), valueText))

function expectedKind(value: unknown): number {
  if (value === undefined || value === null) return ABSENT
  if (typeof value === 'string') return STRING
  return Number.isFinite(value) ? NUMBER : OTHER
}

/** Returns the text of a field. UTF-8 replaces a lone surrogate. */
function expectedText(value: unknown): string | undefined {
  const isText = typeof value === 'string' || Number.isFinite(value)
  return isText ? Buffer.from(String(value)).toString() : undefined
}

function hasSameFields(fields: Fields, value: Record<string, unknown>): boolean {
  return FIELD_NAMES.every((name, number) => {
    const field = number as Field
    const expected = Object.hasOwn(value, name) ? value[name] : undefined
    if (fields.kinds[field] !== expectedKind(expected)) return false
    const text = expectedText(expected)
    return text === undefined || fields.text(field) === text
  })
}

t.test('the scanner accepts only JSON objects, and reads what JSON.parse reads', async t => {
  const fields = new Fields()
  let accepted = 0
  fc.assert(
    fc.property(bodies, body => {
      const value = parseObject(body)
      if (!fields.read(body)) return true
      accepted++
      return value !== undefined && hasSameFields(fields, value)
    }),
    { numRuns: BODIES, seed: 1 },
  )
  t.ok(accepted > BODIES / 10, `${accepted} of ${BODIES} were accepted`)
})
