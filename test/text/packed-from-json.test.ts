/** JSON becomes the MessagePack that a packer makes of the parsed value. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Packr, unpack } from 'msgpackr'
import t from 'tap'
import { PackedWriter } from '../../src/text/packed-from-json.ts'

const writer = new PackedWriter()
const packr = new Packr({ useRecords: false, variableMapSize: true })
const packed = (text: string) => Buffer.from(writer.packed(Buffer.from(text)))

t.test('any value, the same as by way of objects', async () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), fc.boolean(), (value, isSpaced) => {
      const text = JSON.stringify(value, null, isSpaced ? 1 : 0)
      // The reader of the library gives this name another spelling.
      fc.pre(!text.includes('__proto__'))
      assert.deepEqual(unpack(packed(text)), JSON.parse(text))
    }),
    { seed: 7, numRuns: 3000 },
  )
})

t.test('numbers are the nearest doubles, in the shortest form', async () => {
  const texts = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.integer().map(String),
    fc.maxSafeInteger().map(String),
    fc.tuple(fc.integer({ min: -180, max: 180 }), fc.nat(999_999_999)).map(([a, b]) => `${a}.${b}`),
    fc.constantFrom(
      '0',
      '-0',
      '0.5',
      '-0.25',
      '1e3',
      '1E-7',
      '127',
      '128',
      '255',
      '256',
      '65535',
      '65536',
      '4294967295',
    ),
    fc.constantFrom(
      '4294967296',
      '-32',
      '-33',
      '-128',
      '-129',
      '-32768',
      '-32769',
      '-2147483648',
      '-2147483649',
    ),
    fc.constantFrom('999999999999999', '9999999999999999', '0.000000000000001', '123456.7890123456'),
  )
  fc.assert(
    fc.property(texts, text => {
      const value = JSON.parse(text) === 0 ? 0 : JSON.parse(text)
      assert.deepEqual(packed(text), Buffer.from(packr.pack(value)))
    }),
    { seed: 7, numRuns: 5000 },
  )
})

t.test('lengths of every size', async () => {
  for (const count of [0, 1, 15, 16, 31, 32, 255, 256, 65_535, 65_536, 70_000]) {
    const text = 'x'.repeat(count)
    const list = Array.from({ length: count }, (_, i) => i)
    const map = Object.fromEntries(list.map(i => [`n${i}`, i]))
    for (const value of [text, list, [[list], text], { text: `${text}"` }])
      assert.deepEqual(packed(JSON.stringify(value)), Buffer.from(packr.pack(value)), `${count}`)
    if (count < 65_536) assert.deepEqual(unpack(packed(JSON.stringify(map))), map)
  }
})

t.test('escapes, other alphabets and lone halves of pairs', async t => {
  for (const text of ['"\\u00e9\\n\\"\\\\\\/"', '"\\ud83d\\ude00"', '"Zürich 東京 😀"', '"a\\u0000b"'])
    t.equal(unpack(packed(text)), JSON.parse(text), text)
  t.equal(unpack(packed('"\\ud800"')), '\ufffd')
})

t.test('what is not JSON is a bug, not an answer', async t => {
  for (const text of ['', '{', '[1', '[1 2]', '{1:2}', '{"a":1', '"a', '1 2', '[,]'])
    t.throws(() => packed(text), SyntaxError, text)
})
