import fc from 'fast-check'
import t from 'tap'
import { CodeQuery } from '../../../src/postal/index/codes/code-query.ts'
import { areaKey } from '../../../src/postal/text/area.ts'
import { cityKey } from '../../../src/postal/text/city.ts'
import { canonicalCode, SYMBOLS } from '../../../src/postal/text/code-symbols.ts'
import { withoutPasted } from '../../../src/postal/text/pasted-code.ts'

t.test('an area matches with or without its kind', async t => {
  const same: [string, string][] = [
    ['Skåne län', 'Skåne'],
    ['Mestna Občina Kranj', 'Kranj'],
    ['Raionul Calarasi', 'Călărași'],
    ['Seoul-teukbyeolsi', 'Seoul'],
    ['Stockholms län', 'Stockholm'],
    ['Region Nordjylland', 'Nordjylland'],
    ['County Galway', 'Co. Galway'],
    ['Provincia de Buenos Aires', 'Buenos Aires'],
    ['State of Texas', 'Texas'],
    ["Wilaya d'Oran", 'Oran'],
    ['Osaka-fu', 'Osaka Prefecture'],
    ['Plzeňský kraj', 'Plzeňský'],
    ['Закарпатська область', 'Закарпатська обл.'],
    ['Пермский Край', 'Permskiy kray'],
    ['Permsky Krai', 'Permskiy kray'],
    ['广东省', '广东'],
    ['大阪府', '大阪'],
    ['경기도', '경기'],
    ['서울특별시', '서울'],
    ['จังหวัดชลบุรี', 'ชลบุรี'],
  ]
  for (const [long, short] of same) t.equal(areaKey(long), areaKey(short), `${long} = ${short}`)
})

t.test('a name that consists of kinds stays whole', async t => {
  for (const name of ['Free State', 'Capital Region', 'CO', 'Distrito Federal', 'Land', '北海道'])
    t.equal(areaKey(name), name === '北海道' ? cityKey('北海') : cityKey(name), name)
  for (const name of ['Kyoto', 'La Rioja', 'Le Mans', "L'viv"]) t.equal(areaKey(name), cityKey(name), name)
  t.equal(areaKey('!?'), '')
})

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

const codeText = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9 .\t-]{0,16}$/),
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
)

function naive(text: string): string | null {
  const key = text.replace(/[ \t.-]/g, '')
  return /^[A-Za-z0-9]{1,10}$/.test(key) ? key.toUpperCase() : null
}

function fromBytes(text: string): string | null {
  const query = new CodeQuery()
  const bytes = Buffer.from(`xx${text}xx`)
  if (!query.set(bytes, 2, bytes.length - 2)) return null
  return Array.from(query.symbols.subarray(0, query.length), symbol => SYMBOLS[symbol]).join('')
}

t.test('a canonical code has 1 to 10 letters and digits in upper case', async () => {
  fc.assert(
    fc.property(codeText, text => canonicalCode(text) === naive(text)),
    { numRuns: 5000 },
  )
})

t.test('the server reads bytes of a code as the builder reads a string', async () => {
  fc.assert(
    fc.property(codeText, text => fromBytes(text) === canonicalCode(text)),
    { numRuns: 5000 },
  )
})

function pasted(text: string, country = 'US'): string | null {
  return canonicalCode(withoutPasted(text, country))
}

t.test('spaces, dashes, quotes, a dot and the postal mark are the only Unicode separators', async t => {
  const separator =
    /^[\p{White_Space}\p{Z}\p{Pd}\p{Quotation_Mark}〒〠.\u00ad\u180e\u200b-\u200d\u2060\u2212\u30fc\uff70\ufeff\uff0e]$/u
  // Spaces and dashes of the basic plane are the same in every Unicode version of Node.js.
  const wrong: string[] = []
  for (let point = 0; point < 0x1_0000; point++) {
    if (point >= 0xd800 && point < 0xe000) continue
    const character = String.fromCodePoint(point)
    const isSeparator = pasted(`1${character}2`) === '12'
    if (isSeparator !== separator.test(character)) wrong.push(point.toString(16))
  }
  t.same(wrong, [])
})

t.test('quotes, the postal mark of Japan and a trailing comma are left out', async t => {
  for (const text of `〒100-0001|"100-0001"|'1000001'|“100 0001”,|「1000001」|1000001;|〒１００−０００１`.split(
    '|',
  ))
    t.equal(pasted(text, 'JP'), '1000001', text)
  for (const text of ['100,0001', '1000001,,', ',1000001']) t.equal(pasted(text, 'JP'), null, text)
})

t.test('an ordinary code is read unchanged', async () => {
  const text = fc.oneof(fc.stringMatching(/^[A-Za-z0-9 .\t-]{0,16}$/), fc.string({ maxLength: 12 }))
  fc.assert(
    fc.property(text, text => {
      const plain = canonicalCode(text)
      return plain === null || pasted(text) === plain
    }),
    { numRuns: 5000 },
  )
})
