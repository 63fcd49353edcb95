/** The hash of city names: every name of every country leads to its places and to no others. */
import fc from 'fast-check'
import t from 'tap'
import { cityHash, SIGNATURE_GROUPS, signatureOf, slotOf } from '../../../src/format/city-hash.ts'
import { placesOfKey } from '../../../src/index/cities/city-names.ts'
import { placeName } from '../../../src/index/places.ts'
import { countriesOf } from '../../../src/index/postal-index.ts'
import { cityKey } from '../../../src/text/city.ts'
import { code, country, place } from '../../support/countries.ts'
import { naiveEdits } from '../../support/edits.ts'
import { fixtureIndex } from '../../support/fixture-index.ts'

/** Many short names: full tables, long probes, the same name in both countries. */
const names = fc.uniqueArray(fc.string({ unit: fc.constantFrom(...'abcdeé '), minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 150,
})

t.test('finds the places of every name', async t => {
  const folder = t.testdir()
  fc.assert(
    fc.property(names, names, names, (first, second, absent) => {
      const lists = [first, second]
      const models = ['AA', 'BB'].map((cc, i) =>
        country(
          cc,
          lists[i].map((name, n) => code(String(1000 + n), [place(name, {}, [`${name} xyz`])])),
        ),
      )
      const index = fixtureIndex(folder, models)
      return countriesOf(index).every((found, i) => {
        const namesOf = (key: string) =>
          placesOfKey(index, found, key)
            .map(number => placeName(index, number))
            .sort()
        const expected = (key: string) =>
          lists[i].filter(name => cityKey(name) === key || cityKey(`${name} xyz`) === key).sort()
        const keys = [...first, ...second, ...absent].flatMap(name => [cityKey(name), cityKey(`${name} xyz`)])
        return keys.every(key => key === '' || JSON.stringify(namesOf(key)) === JSON.stringify(expected(key)))
      })
    }),
    { numRuns: 60 },
  )
})

t.test('a slot is always inside the table', async () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 8, max: 2 ** 24 }), (key, slots) => {
      const slot = slotOf(cityHash('US', key), slots)
      return Number.isInteger(slot) && slot >= 0 && slot < slots
    }),
  )
  t.ok(slotOf(0xffff_ffff, 8) < 8)
})

t.test('an edit takes at most one bit from a signature and adds at most one', async () => {
  const text = fc.string({ unit: fc.constantFrom(...'aaabcektjéñ東京1'), maxLength: 8 })
  const bits = (value: number) => (value >>> 0).toString(2).replaceAll('0', '').length
  fc.assert(
    fc.property(text, text, (a, b) => {
      const [from, to] = [signatureOf(a), signatureOf(b)]
      return Math.max(bits(from & ~to), bits(to & ~from)) <= naiveEdits(a, b)
    }),
    { numRuns: 5000 },
  )
})

t.test('the groups of a signature hold every letter once and 32 bits', async t => {
  t.same(SIGNATURE_GROUPS.flatMap(([letters]) => [...letters]).sort(), [...'abcdefghijklmnopqrstuvwxyz'])
  t.equal(
    SIGNATURE_GROUPS.reduce((sum, [, bits]) => sum + bits, 0),
    32,
  )
  // Letter by letter as FORMAT.md has it: an a is bit 0, a second one bit 1; t and j share bits 20 and 21.
  t.equal(signatureOf('a'), 1)
  t.equal(signatureOf('banana'), 0b111 | (3 << 10) | (1 << 17))
  t.equal(signatureOf('jt'), 3 << 20)
})
