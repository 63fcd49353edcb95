import fc from 'fast-check'
import t from 'tap'
import { cityKey } from '../../../src/postal/text/city.ts'

t.test('different spellings of a city name match', async t => {
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

t.test('different city names do not match', async t => {
  t.not(cityKey('Portland'), cityKey('Porland'))
  t.not(cityKey('St. Louis'), cityKey('St. Louise'))
  t.not(cityKey('Stone'), cityKey('Saintone'), 'short forms are whole words')
})

t.test('a name made only of abbreviations has a key', async t => {
  for (const name of ['Y', 'Et', 'and']) t.not(cityKey(name), '', name)
  for (const nothing of ['', ' ', '!?', '\u0301']) t.equal(cityKey(nothing), '', JSON.stringify(nothing))
})

t.test('a city name matches in any case, with or without accents and punctuation', async () => {
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
