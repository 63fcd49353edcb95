/** Which city names are the same name. */
import fc from 'fast-check'
import t from 'tap'
import { cityKey, cityWords } from '../../src/text/city.ts'

t.test('names that match exactly', async t => {
  const same: string[][] = [
    ['St. Louis', 'Saint Louis', 'ST LOUIS', 'st-louis', ' Saint  Louis '],
    ['Mount Vernon', 'Mt Vernon', 'MT. VERNON'],
    ['Fort Worth', 'Ft. Worth', 'ft worth'],
    ['Zürich', 'Zurich', 'ZÜRICH', 'Zu\u0308rich'],
    ['Łódź', 'Lodz'],
    ['Straße', 'STRASSE'],
    ['Winston-Salem', 'Winston Salem'],
    ["O'Fallon", 'O’Fallon', 'OFallon'],
    ['Αθήνας', 'ΑΘΗΝΑΣ', 'ΑθηναΣ'],
    ['東京', ' 東京 '],
  ]
  for (const names of same) {
    t.same(new Set(names.map(cityKey)).size, 1, names.join(' = '))
    t.not(cityKey(names[0]), '')
  }
})

t.test('names that do not', async t => {
  t.not(cityKey('Portland'), cityKey('Porland'))
  t.not(cityKey('St. Louis'), cityKey('St. Louise'))
  t.not(cityKey('Stone'), cityKey('Saintone'), 'short forms are whole words')
})

t.test('a name made of short forms alone keeps a key', async t => {
  for (const name of ['Y', 'Et', 'and']) t.not(cityKey(name), '', name)
  for (const nothing of ['', ' ', '!?', '\u0301']) t.equal(cityKey(nothing), '', JSON.stringify(nothing))
})

t.test('case, accents and punctuation never matter', async () => {
  const word = fc.stringMatching(/^[A-Za-zÀ-ÖØ-öø-ÿ]{1,10}$/)
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(' ', '-', ', ', '. '),
      (words, mark) => {
        const key = cityKey(words.join(' '))
        return (
          cityKey(words.join(mark)) === key &&
          cityKey(words.join(' ').normalize('NFD')) === key &&
          cityKey(words.join(' ').toLowerCase()) === key
        )
      },
    ),
    { numRuns: 2000 },
  )
})

t.test('a name has the words that it has when it is folded as a whole', async t => {
  // A character of two units is beyond the table, so the whole name is folded at once. It is punctuation, and parts nothing at the end.
  const asWhole = (name: string) => cityWords(`${name} \u{1f3d9}`)
  for (let unit = 0; unit < 0x1_0000; unit++) {
    if (unit >= 0xd800 && unit < 0xe000) continue
    const name = `a${String.fromCharCode(unit)}b`
    if (cityWords(name).join(' ') !== asWhole(name).join(' ')) t.fail(`U+${unit.toString(16)}`)
  }
  // Marks in any order, letters that become two, signs with a space in them, final and other sigmas.
  const unit = fc.constantFrom(...'abzßæÉñșıİΣσςй̧́̀ẹ̈が한글ﬁ½№ﷺ٣ʻ’- .\u00a0', 'e\u0323\u0302', '\u0301\u0327')
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), units => {
      const name = units.join('')
      return cityWords(name).join(' ') === asWhole(name).join(' ')
    }),
    { numRuns: 3000, seed: 12 },
  )
})
