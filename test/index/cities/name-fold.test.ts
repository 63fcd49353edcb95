/** City keys folded from the bytes of TEXT against `cityKey`. */
import fc from 'fast-check'
import t from 'tap'
import { TextPool } from '../../../build-index/write/text-pool.ts'
import { COMPARED_LENGTH_MAX } from '../../../src/index/cities/edit-distance.ts'
import { foldedKey, foldName } from '../../../src/index/cities/name-fold.ts'
import { openIndex } from '../../../src/index/open-index.ts'
import { plainText } from '../../../src/index/text-section.ts'
import { cityKey, WORDS } from '../../../src/text/city.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'

/** What `foldName` should give for a name with the key `key`; null is a key too long to be compared. */
const expected = (name: string) => (cityKey(name).length > COMPARED_LENGTH_MAX ? null : cityKey(name))

function folded(text: Uint8Array, offset: number): string | null {
  const length = foldName(text, offset)
  return length < 0 ? null : String.fromCharCode(...foldedKey.subarray(0, length))
}

function foldOne(name: string): string | null {
  const pool = new TextPool()
  const offset = pool.add(name)
  return folded(pool.bytes(), offset)
}

const character = fc.oneof(
  fc.constantFrom(...'abcxyzABC '),
  fc.integer({ min: 0x20, max: 0x52f }).map(point => String.fromCharCode(point)),
  fc.constantFrom('’', '東', '가', 'ﬁ', '½', 'Σ', 'ς', 'İ', 'ß', "'", '"', '\\', '\u0301', '-'),
)
const word = fc.oneof(fc.constantFrom(...WORDS.keys()), fc.string({ unit: character, maxLength: 8 }))
const name = fc
  .array(fc.tuple(word, fc.constantFrom(' ', '-', ', ', '. ', '')), { maxLength: 5 })
  .map(parts => parts.flat().join(''))

t.test('every character that the table folds, alone and between letters', async t => {
  const wrong: string[] = []
  for (let point = 1; point < 0x600; point++) {
    const character = String.fromCharCode(point)
    for (const text of [character, `a${character}b`, `a${character}`, `saint${character}b`]) {
      if (foldOne(text) !== expected(text)) wrong.push(`U+${point.toString(16)} in ${JSON.stringify(text)}`)
    }
  }
  t.same(wrong, [])
})

t.test('random names', async () => {
  fc.assert(
    fc.property(name, text => foldOne(text) === expected(text)),
    { numRuns: 5000 },
  )
})

t.test('names about as long as the longest compared', async () => {
  const long = fc
    .tuple(fc.string({ unit: fc.constantFrom(...'abß '), minLength: 60, maxLength: 100 }), word)
    .map(parts => parts.join(' '))
  fc.assert(
    fc.property(long, text => foldOne(text) === expected(text)),
    { numRuns: 2000 },
  )
})

t.test('real names', async t => {
  const { text, places, aliases, placeCount } = openIndex(DEFAULT_INDEX)
  const wrong = new Set<string>()
  const check = (offset: number) => {
    const name = plainText(text, offset)
    if (folded(text, offset) !== expected(name)) wrong.add(name)
  }
  const names = placeCount + aliases.length / 2
  // A sample that reaches every country: all of them would take ten seconds.
  const step = Math.max(1, Math.floor(names / 50_000))
  for (let entry = 0; entry < names; entry += step) {
    check(entry < placeCount ? places[entry * 3] : aliases[(entry - placeCount) * 2])
  }
  t.same([...wrong].slice(0, 20), [])
})
