import t from 'tap'
import type { CodeModel, CountryModel } from '../../../../build-index/model.ts'
import { latitude, longitude } from '../../../../src/postal/format/code-record.ts'
import { CodeQuery } from '../../../../src/postal/index/codes/resolve.ts'
import { countryByText } from '../../../../src/postal/index/postal-index.ts'
import { openIndex } from '../../../../src/postal/library/node.ts'
import { code, country, place } from '../../../support/countries.ts'
import { fixtureIndex, writeIndex } from '../../../support/fixture-index.ts'

const WESTMINSTER = { name1: 'England', code1: 'ENG', name2: 'Greater London' }
const TOWER = { name1: 'England', code1: 'ENG', name2: 'Tower Hamlets' }

function britishCode(key: string, name: string, lat: number, lon: number, of = WESTMINSTER): CodeModel {
  return code(key, [place(name, of)], { lat, lon })
}

const FULL: readonly CountryModel[] = [
  country('BR', [code('01001000', [place('São Paulo')]), code('01001001', [place('São Paulo')])]),
  country('CA', [code('K1A0B1', [place('Ottawa')]), code('K1A0B2', [place('Ottawa')])]),
  country(
    'GB',
    [
      britishCode('E11AA', 'Whitechapel', 51.5, -0.07, TOWER),
      britishCode('E1W1AA', 'Wapping', 51.6, -0.1, TOWER),
      britishCode('E111AA', 'Leytonstone', 51.56, 0.01, TOWER),
      britishCode('SW1A1AA', 'Westminster', 51.501, -0.1416),
      britishCode('SW1A2AA', 'London', 51.503, -0.1276),
      britishCode('SW1A2AB', 'London', 51.505, -0.127),
      britishCode('W1A1AA', 'London', 51.518, -0.143),
    ],
    { masks: ['## ###', '### ###', '#### ###'] },
  ),
  country('IE', [code('D02AF30', [place('Dublin')])]),
  country('JP', [code('1000001', [place('Chiyoda')]), code('1000002', [place('Chiyoda')])], { padTo: 7 }),
  country('NL', [code('1012AB', [place('Amsterdam')])], { masks: ['#### ##'] }),
  country('PT', [code('1000001', [place('Lisboa')])], { masks: ['####-###'], prefixes: ['PT', 'P'] }),
  country('SE', [code('11122', [place('Stockholm')])], { masks: ['### ##'] }),
]

t.test('an outward code alone is not a code where the data has full codes', async t => {
  const codes = openIndex(writeIndex(t.testdir(), FULL))
  t.same(codes.check('sw1a', 'GB'), { valid: true, normalized: 'SW1A', reason: null })
  t.match(
    codes.lookup('SW1A', 'GB'),
    { city: 'London', state: 'England', ST: 'ENG', latitude: 51.503, longitude: -0.132067 },
    'the name that most codes have, and their mean position',
  )
  t.match(codes.metadata('SW1A', 'GB'), {
    postalCode: 'SW1A',
    placeName: 'London',
    admin_name2: 'Greater London',
  })
  t.equal(codes.about().codes, 17, 'areas are not counted as codes')
  t.equal(codes.countries().find(({ country }) => country === 'GB')?.codes, 7)
})

t.test('a full code that does not exist stays invalid', async t => {
  const codes = openIndex(writeIndex(t.testdir(), FULL))
  for (const [text, cc] of [
    ['SW1A 1AB', 'GB'],
    ['SW1A 1', 'GB'],
    ['SW1', 'GB'],
    ['SW', 'GB'],
    ['K1A 0B9', 'CA'],
    ['1000009', 'JP'],
    ['1000-009', 'PT'],
    ['111', 'SE'],
  ])
    t.match(codes.check(text, cc), { valid: false, normalized: null, reason: 'not_found' }, `${text} ${cc}`)
})

t.test('every country with short forms accepts them', async t => {
  const codes = openIndex(writeIndex(t.testdir(), FULL))
  for (const [text, cc, written] of [
    ['01001', 'BR', '01001'],
    ['k1a', 'CA', 'K1A'],
    ['D02', 'IE', 'D02'],
    ['100', 'JP', '100'],
    ['1012', 'NL', '1012'],
    ['1000', 'PT', '1000'],
    ['P-1000', 'PT', '1000'],
  ])
    t.same(codes.check(text, cc), { valid: true, normalized: written, reason: null }, `${text} ${cc}`)
})

t.test('a short form has only its own codes: E1 has none of E11', async t => {
  const index = fixtureIndex(t.testdir(), FULL)
  const gb = countryByText(index, 'GB')
  const query = new CodeQuery()
  const positionOf = (text: string) => {
    query.set(Buffer.from(text), 0, text.length)
    const area = gb ? query.resolve(index.trie, gb) : -1
    return [latitude(index.codes, area), longitude(index.codes, area)]
  }
  t.same(positionOf('E1'), [51_500_000, -70_000], 'without the codes of E11 and E1W')
  t.same(positionOf('E11'), [51_560_000, 10_000])
  t.same(positionOf('E1W'), [51_600_000, -100_000])
})

t.test('suggestions, cities and neighbours are full codes', async t => {
  const codes = openIndex(writeIndex(t.testdir(), FULL))
  t.same(codes.city('London', { country: 'GB' })?.zipcodes, ['SW1A 2AA', 'SW1A 2AB', 'W1A 1AA'])
  const postalCodes = codes.autocomplete('SW1A', { country: 'GB' }).codes.map(({ postalCode }) => postalCode)
  t.same(postalCodes, ['SW1A 1AA', 'SW1A 2AA', 'SW1A 2AB'])
  t.same(
    codes.nearest({ zipcode: 'SW1A' }, { country: 'GB', limit: 1 })?.map(({ postalCode }) => postalCode),
    ['SW1A 2AA'],
    'an area has neighbours',
  )
  t.same(codes.autocomplete('P-1000', { country: 'PT' }).codes, [], 'an area is not suggested')
})
