import { readFileSync } from 'node:fs'
import t from 'tap'
import { countryModels } from '../../build-index/country-models.ts'
import type { CodeModel, CodeRules } from '../../build-index/model.ts'
import { shortAreas } from '../../build-index/write/short-areas.ts'
import { hasExpectedCodes } from '../../datasets/reference/expected-codes.ts'
import { canonicalCode } from '../../src/text/code.ts'
import { resolveKey } from '../support/resolve-key.ts'

/** Codes of the default index whose answers are checked below. */
const SEEN: Readonly<Record<string, string[]>> = {
  AU: ['2000', '0874'],
  CA: ['K1A'],
  DE: ['10115', '80331', '01001'],
  FI: ['00100'],
  FR: ['75001', '69001', '97400'],
  GB: ['SW1A'],
  IN: ['110001'],
  IT: ['00118'],
  JP: ['1000001', '0640941'],
  NO: ['0001'],
  PR: ['00901'],
  TR: ['34710'],
  TW: ['100'],
  US: ['90210', '00901', '09001', '34001'],
}

interface Country {
  rules: CodeRules
  completeness: string
  keys: Set<string>
  /** Short forms of its full codes. */
  areas: Set<string>
  seen: Map<string, CodeModel>
}
const countries = new Map<string, Country>()
for await (const { country, rules, completeness, codes } of countryModels()) {
  const wanted = new Set(SEEN[country])
  const seen = new Map(codes.filter(({ key }) => wanted.has(key)).map(code => [code.key, code]))
  const keys = new Set(codes.map(({ key }) => key))
  const areas = new Set(shortAreas(country, codes).map(({ key }) => key))
  countries.set(country, { rules, completeness, keys, areas, seen })
}

function find(country: string, key: string): CodeModel | undefined {
  return countries.get(country)?.seen.get(key)
}

t.test('what people type', async t => {
  const lines = readFileSync('test/data/typed-codes.tsv', 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
  t.ok(lines.length >= 450, `${lines.length} inputs`)
  t.ok(new Set(lines.map(line => line.slice(0, 2))).size >= 60)
  for (const line of lines) {
    const [name, kind, typed, key] = line.split('\t')
    const country = countries.get(name)
    if (country === undefined) t.fail(`${name} is not in the default data`)
    else {
      const value = kind === 'number' ? Number(typed) : typed
      const found =
        resolveKey(country.rules, k => country.keys.has(k), value) ??
        resolveKey({ ...country.rules, tails: [] }, k => country.areas.has(k), value)
      t.equal(found ?? '', key, `${name} ${JSON.stringify(typed)}`)
    }
  }
})

t.test('the codes that everybody tries first', async t => {
  t.match(find('US', '90210'), {
    places: [{ name: 'Beverly Hills', admin: { name1: 'California', code1: 'CA', name2: 'Los Angeles' } }],
    timezone: 'America/Los_Angeles',
  })
  t.match(find('DE', '10115'), { places: [{ name: 'Berlin' }], timezone: 'Europe/Berlin' })
  t.match(find('GB', 'SW1A'), { places: [{ name: 'London' }], written: 'SW1A', timezone: 'Europe/London' })
  t.match(find('CA', 'K1A'), { places: [{ name: 'Ottawa', admin: { name1: 'Ontario', code1: 'ON' } }] })
  t.match(find('IN', '110001'), { places: [{ name: 'New Delhi' }], timezone: 'Asia/Kolkata' })
  t.match(find('IT', '00118'), { places: [{ name: 'Roma', admin: { code1: '62', code2: 'RM' } }] })
  t.match(find('AU', '2000'), { places: [{ name: 'Sydney' }] })
  t.match(find('FI', '00100'), { places: [{ name: 'Helsinki' }] })
  t.match(find('NO', '0001'), { places: [{ name: 'Oslo' }] })
  t.match(find('TR', '34710'), { places: [{ name: 'Kadıköy' }] })
  t.match(find('TW', '100'), { places: [{ name: 'Zhongzheng' }], timezone: 'Asia/Taipei' })
})

t.test('a numbered part is found under its city and under its own name', async t => {
  for (const [key, city, part, code2] of [
    ['75001', 'Paris', 'Paris 01', '75'],
    ['69001', 'Lyon', 'Lyon 01', '69'],
  ]) {
    const code = find('FR', key)
    t.same(
      code?.places.map(({ name }) => name),
      [city, part],
    )
    t.match(code?.places[0].admin, { code2, code3: /^\d{5}$/ })
    t.ok(code !== undefined && code.lat > 45 && code.lat < 49)
  }
})

t.test('Japan is romanised, its kanji are kept', async t => {
  const chiyoda = find('JP', '1000001')
  t.equal(chiyoda?.written, '1000001')
  t.same(
    chiyoda?.places.map(({ name }) => name),
    ['Chiyoda', '千代田', 'Tokyo'],
  )
  t.match(chiyoda?.places[0].admin, { name1: 'Tokyo', code1: '13', name2: 'Chiyoda-ku', code2: '13101' })
  t.ok(chiyoda?.places[0].aliases.includes('千代田区'))
  t.match(find('JP', '0640941')?.places[0], {
    name: 'Sapporo',
    admin: { name2: 'Sapporo-shi', name3: 'Chuo-ku' },
  })
})

t.test('other names', async t => {
  const names = (country: string, key: string) => {
    const [place] = find(country, key)?.places ?? []
    return [place?.name, ...(place?.aliases ?? [])]
  }
  for (const name of ['München', 'Munich', 'Muenchen', 'Monaco di Baviera'])
    t.ok(names('DE', '80331').includes(name), name)
  for (const name of ['Helsinki', 'Helsingfors']) t.ok(names('FI', '00100').includes(name), name)
  for (const name of ['Roma', 'Rome']) t.ok(names('IT', '00118').includes(name), name)
})

t.test('territories, military post, and gaps that neighbours fill', async t => {
  t.match(find('US', '00901'), {
    places: [{ name: 'San Juan', admin: { name1: 'Puerto Rico', code1: 'PR' } }],
  })
  t.match(find('PR', '00901'), { places: [{ name: 'San Juan' }] })
  t.match(find('US', '09001'), {
    places: [{ name: 'APO', admin: { name1: 'Armed Forces Europe', code1: 'AE' } }],
  })
  t.match(find('US', '34001'), { lat: Number.NaN, timezone: '' })
  t.match(find('DE', '01001'), { places: [{ name: 'Dresden' }], accuracy: 1 })
  t.ok(find('AU', '0874'), 'one of the codes that only the second source has')
  t.match(find('FR', '97400'), { timezone: 'Indian/Reunion' })
})

t.test('every country', async t => {
  t.ok(countries.size >= 75, `${countries.size} countries`)
  t.equal(countries.get('US')?.keys.size, 42_010)
  t.equal(countries.get('JP')?.keys.size, 120_484)
  t.equal(countries.get('LU')?.keys.size, 172)
  for (const [name, { keys, completeness, rules }] of countries) {
    t.ok(
      [...keys].every(key => canonicalCode(key) === key),
      `${name} keys are canonical`,
    )
    t.match(completeness, /^(full|short codes|partial)$/)
    for (const prefix of rules.prefixes) t.match(prefix, /^[A-Z]{1,3}$/)
    if (completeness === 'full')
      t.ok(hasExpectedCodes(name, keys.size), `${name} is full with ${keys.size} codes`)
  }
  for (const short of ['CA', 'GB', 'IE', 'NL', 'MT', 'TW'])
    t.equal(countries.get(short)?.completeness, 'short codes')
})
