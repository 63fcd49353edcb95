/** Fields that only a few endpoints have, read from the bytes of the body, against `JSON.parse`. */
import fc from 'fast-check'
import t from 'tap'
import { Fields } from '../../src/api/request/fields.ts'
import { MoreFields } from '../../src/api/request/more-fields.ts'

const NAMES = ['latitude', 'longitude', 'radius', 'limit', 'offset', 'query'] as const
const fields = new MoreFields(NAMES)

/** What was read before, by `JSON.parse`. */
class Parsed {
  readonly #object: Record<string, unknown>

  constructor(body: string) {
    this.#object = JSON.parse(body)
  }

  value(name: string): unknown {
    return Object.hasOwn(this.#object, name) ? this.#object[name] : undefined
  }

  has(name: string): boolean {
    const value = this.value(name)
    return value !== undefined && value !== null && value !== ''
  }

  number(name: string, min: number, max: number, fallback: number): number | undefined {
    if (!this.has(name)) return fallback
    const value = this.value(name)
    return typeof value === 'number' && value >= min && value <= max ? value : undefined
  }
}

/** JSON numbers in every notation. */
const numberText = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.integer({ min: -400, max: 400 }).map(String),
  fc
    .tuple(fc.integer({ min: -180, max: 180 }), fc.stringMatching(/^[0-9]{1,18}$/))
    .map(([a, b]) => `${a}.${b}`),
  fc.tuple(fc.integer({ min: -99, max: 99 }), fc.integer({ min: -9, max: 9 })).map(([a, b]) => `${a}e${b}`),
  fc.constantFrom('-0', '0.0', '-0.5', '1E2', '1e400', '48.1374000', '9007199254740993', '0.1', '4.35'),
)
const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constantFrom('', 'Mün', '\\', '"'))
const valueText = fc.oneof(
  numberText,
  text.map(value => JSON.stringify(value)),
  fc.constantFrom('null', 'true', '{}', '[1]', '"\\ud83d\\ude00"', '"\\u006do"', '{"limit":3}'),
)
const nameText = fc.oneof(
  fc.constantFrom(...NAMES).map(name => JSON.stringify(name)),
  fc.constantFrom('"l\\u0069mit"', '"\\u006ffset"', '"lima"', '"offer"', '"zipcode"', '"apiKey"', '""'),
)
const space = fc.constantFrom('', ' ', '\n\t')
const bodies = fc
  .tuple(space, fc.array(fc.tuple(nameText, space, valueText), { maxLength: 8 }))
  .map(
    ([gap, members]) =>
      `${gap}{${members.map(([name, at, value]) => `${name}:${at}${value}`).join(`${gap},`)}${gap}}`,
  )

t.test('values are those that JSON.parse gives', async () => {
  const scanner = new Fields()
  fc.assert(
    fc.property(bodies, body => {
      const bytes = new Uint8Array(Buffer.from(body))
      if (!scanner.read(bytes)) throw new Error(`not read: ${body}`)
      fields.read(bytes, scanner.writtenView)
      const parsed = new Parsed(body)
      return NAMES.every(name => {
        const value = parsed.value(name)
        return (
          fields.has(name) === parsed.has(name) &&
          fields.text(name) === (typeof value === 'string' && value !== '' ? value : undefined) &&
          Object.is(fields.number(name, -180, 180, 7), parsed.number(name, -180, 180, 7))
        )
      })
    }),
    { numRuns: 3000 },
  )
})

t.test('whole numbers, and what was read before is forgotten', async t => {
  const read = (body: string) => {
    const bytes = new Uint8Array(Buffer.from(body))
    fields.read(bytes, new DataView(bytes.buffer))
  }
  read('{"limit":5.0,"offset":1.5,"radius":"3","query":5}')
  t.equal(fields.whole('limit', 1, 10, 2), 5)
  t.equal(fields.whole('offset', 0, 10, 2), undefined)
  t.equal(fields.whole('radius', 0, 10, 2), undefined, 'a text is not a number')
  t.equal(fields.text('query'), undefined, 'and a number not a text')
  read('{}')
  t.equal(fields.whole('limit', 1, 10, 2), 2)
  t.equal(fields.has('query'), false)
})
