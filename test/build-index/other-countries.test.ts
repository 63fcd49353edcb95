import { join } from 'node:path'
import t from 'tap'
import { buildIndex } from '../../build-index/build/build.ts'
import { countryCodes } from '../../datasets/reference/country-codes.ts'
import { row } from '../../datasets/row.ts'
import { coverageOf } from '../../src/console/reports/coverage-figures.ts'
import { openIndex as openFile } from '../../src/postal/index/open-index.ts'
import { openIndex } from '../../src/postal/library/node.ts'
import { DEFAULT_INDEX } from '../support/default-index.ts'
import { sourceOf } from '../support/sources.ts'

t.test('coverage names every country of ISO 3166-1, with or without codes', async t => {
  const output = join(t.testdir(), 'small.postrie')
  await buildIndex({ output, sources: [sourceOf('s', [row('SM', '47890', 'A')])] })
  const { rows } = coverageOf(openFile(output))
  t.same(rows.map(({ code }) => code).sort(), countryCodes())
  t.equal(rows.length, 250, 'with Kosovo, which has codes and no ISO code')
  const states = Object.fromEntries(rows.map(({ code, completeness }) => [code, completeness]))
  for (const country of ['AE', 'HK', 'QA', 'AO', 'FJ']) t.equal(states[country], 'no postal codes', country)
  for (const country of ['GR', 'IL', 'SA', 'XK', 'LC']) t.equal(states[country], 'no data', country)
})

const codes = openIndex(DEFAULT_INDEX)
const formats = countryCodes().map(cc => {
  const format = codes.format(undefined, cc)
  if (format === undefined) throw new Error(`${cc} has no format`)
  return format
})

t.test('a country has data, a format only, or no codes', async t => {
  const count = (hasCodes: boolean, hasData: boolean) =>
    formats.filter(format => format.hasCodes === hasCodes && format.hasData === hasData).length
  t.equal(count(true, true), codes.about().countries)
  t.equal(count(false, true), 0)
  t.ok(count(true, false) > 100, `${count(true, false)} have codes and no data here`)
  t.ok(count(false, false) > 50, `${count(false, false)} have no codes`)
  for (const { country, hasCodes, name, pattern, example, formats: forms } of formats)
    t.same(
      [name !== null, pattern !== null, example !== null, forms.length > 0],
      Array(4).fill(hasCodes),
      country,
    )
})

t.test('the pattern of a country matches its examples and no other text', async t => {
  for (const { country, pattern, example, hasData } of formats) {
    if (pattern === null || example === null) continue
    const form = new RegExp(pattern, 'v')
    t.match(example, form, country)
    for (const text of ['', 'nonsense', `${example} 00000`, `XXX${example}`])
      t.notMatch(text, form, `${country} ${text}`)
    if (hasData) t.equal(codes.format(example, country)?.valid, true, `${country} ${example}`)
    if (hasData) continue
    t.match(codes.format(example, country), { valid: true, normalized: null }, country)
    t.match(codes.format('nonsense', country), { valid: false, normalized: null }, country)
    t.match(codes.check(example.toLowerCase().replace(/[ -]/g, ''), country), {
      reason: 'unknown_country',
      detail: 'no_data',
    })
    t.match(codes.check('nonsense', country), { reason: 'unknown_country', detail: 'wrong_format' })
  }
  t.match(codes.format('1', 'AE'), { hasCodes: false, hasData: false, valid: false, normalized: null })
  t.match(codes.check('1', 'AE'), { reason: 'unknown_country', detail: 'no_postal_codes' })
  t.notOk('detail' in codes.check('1', 'ZZ'), 'two letters that are no country')
  t.equal(codes.format('1', 'ZZ'), undefined)
})

t.test('a changed last character keeps the form of the country', async t => {
  const wrong: string[] = []
  let asked = 0
  for (const { country, codes: count } of codes.countries()) {
    // Small territories have a few codes of their own, and their patterns list those codes.
    if (count < 100) continue
    const all = [...codes.codes(country)]
    for (let at = 0; at < all.length; at += Math.ceil(all.length / 50)) {
      for (const last of '0123456789ABCDEFGHJKLMNPRSTUVWXYZ') {
        const code = all[at].slice(0, -1) + last
        const isSameKind = /[0-9]/.test(last) === /[0-9]/.test(all[at].slice(-1))
        const verdict = codes.check(code, country)
        if (verdict.valid || !isSameKind) continue
        asked++
        if (verdict.detail === 'wrong_format') wrong.push(`${country} ${code}`)
      }
    }
  }
  t.ok(asked > 10_000, `${asked} codes`)
  t.same(wrong, [], wrong.slice(0, 10).join(', '))
})

t.test('a text unlike any code of its country has a wrong format', async t => {
  for (const [code, country] of [
    ['FOO99', 'US'],
    ['9021', 'US'],
    ['902101', 'US'],
    ['1234', 'DE'],
    ['ABCDE', 'FR'],
    ['12345', 'GB'],
    ['1234', 'CA'],
    ['1', 'JP'],
    ['AB1 2CD', 'NL'],
    ['12-34', 'PL'],
    ['!', 'PL'],
    // The data has the first part, and the post does not write the rest.
    ['K1A 0O6', 'CA'],
    ['K1A 0D1', 'CA'],
    ['SW1A 1CV', 'GB'],
    ['SW1A 1AO', 'GB'],
    ['JE2 3OB', 'JE'],
    ['1012 SS', 'NL'],
    ['NL-9164 SD', 'NL'],
    ['D02 1234', 'IE'],
    ['DO2 AF30', 'IE'],
    ['DO2', 'IE'],
    ['BT79 1AA', 'IE'],
  ])
    t.match(codes.check(code, country), { valid: false, detail: 'wrong_format' }, `${country} ${code}`)
  t.match(codes.check('TDCU 1ZZ', 'SH'), { detail: 'no_data' })
})

t.test('the local word for a postal code is left out before a code', async t => {
  for (const [code, country, written] of [
    ['C.P. 06600', 'MX', '06600'],
    ['PIN 110001', 'IN', '110001'],
    ['PIN - 110 001', 'IN', '110001'],
    ['CAP 00144', 'IT', '00144'],
    ['PLZ: 10115', 'DE', '10115'],
    ['plz 10115', 'DE', '10115'],
    ['ZIP 90210', 'US', '90210'],
    ['ZIP Code: 90210', 'US', '90210'],
    ['C.P.: 28013', 'ES', '28013'],
    ['〒100-0001', 'JP', '1000001'],
    ['"75001",', 'FR', '75001'],
  ] as const)
    t.equal(codes.check(code, country).normalized, written, `${country} ${code}`)
})
