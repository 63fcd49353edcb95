import t from 'tap'
import type { CodeRules } from '../../build-index/model.ts'
import { areShort, codeRules, maskOf } from '../../build-index/rows/code-rules.ts'
import { normaliser } from '../../build-index/rows/normal-form.ts'
import { formatCode } from '../../src/postal/text/mask.ts'

const CASES: [country: string, codes: string[], rules: CodeRules, written: string[], short: boolean][] = [
  ['US', ['90210', '00501'], rules(5, 'US ZIP', ['NNNN'], []), ['90210', '00501'], false],
  ['JP', ['100-0001'], rules(7, 'JP', [], []), ['1000001'], false],
  ['PL', ['00-001'], rules(5, 'PL', [], ['##-###']), ['00-001'], false],
  ['PT', ['1000-001'], rules(7, 'PT P CP', [], ['####-###']), ['1000-001'], false],
  ['BR', ['01310'], rules(5, 'BR CEP', ['NNN'], []), ['01310'], true],
  ['BR', ['01310', '01310-100'], rules(8, 'BR CEP', ['NNN'], ['#####-###']), ['01310', '01310-100'], false],
  ['SE', ['114 55'], rules(5, 'SE S', [], ['### ##']), ['114 55'], false],
  ['LV', ['LV-1001'], rules(4, 'LV', [], ['LV-####']), ['LV-1001'], false],
  ['AD', ['AD100'], rules(3, 'AD', [], ['AD###']), ['AD100'], false],
  ['GB', ['SW1A', 'M1', 'EC1Y', 'B33'], rules(0, '', ['NAA'], []), ['SW1A', 'M1', 'EC1Y', 'B33'], true],
  ['GB', ['SW1A 1AA', 'M1 1AE'], rules(0, '', [], ['## ###', '#### ###']), ['SW1A 1AA', 'M1 1AE'], false],
  ['CA', ['K1A', 'M5V'], rules(0, '', ['NAN'], []), ['K1A', 'M5V'], true],
  ['IE', ['D02', 'D6W'], rules(0, '', ['XXXX'], []), ['D02', 'D6W'], true],
  ['NL', ['1012'], rules(4, 'NL', ['AA'], []), ['1012'], true],
  ['NL', ['1012 AB'], rules(0, '', [], ['#### ##']), ['1012 AB'], false],
  ['MT', ['VLT', 'ATD'], rules(0, '', ['NN', 'NNN', 'NNNN'], []), ['VLT', 'ATD'], true],
  ['TW', ['100'], rules(3, 'TW', ['NN', 'NNN'], []), ['100'], false],
]

/** @param prefixes separated by spaces */
function rules(padTo: number, prefixes: string, tails: string[], masks: string[]): CodeRules {
  return { padTo, prefixes: prefixes.split(' ').filter(prefix => prefix !== ''), tails, masks }
}

t.test('rules and written forms come from the codes of a source', async t => {
  for (const [country, codes, expected, written, short] of CASES) {
    const normalise = normaliser(country)
    const forms = new Map<string, number>()
    const keys = codes.map(code => {
      const key = normalise(code)?.key ?? ''
      const mask = maskOf(code, key)
      forms.set(mask, (forms.get(mask) ?? 0) + 1)
      return key
    })
    const found = codeRules(country, keys, forms)
    t.same(found, expected, `${country} ${codes}`)
    t.same(
      keys.map(key => formatCode(key, found.masks)),
      written,
      `${country} written`,
    )
    t.equal(areShort(country, keys, found), short, `${country} short`)
  }
})

t.test('one full code does not turn the short codes of a country into short forms', async t => {
  const keys = Array.from({ length: 300 }, (_, i) => `K${i % 10}${String.fromCharCode(65 + (i % 26))}`)
  t.same(codeRules('CA', [...keys, 'H0H0H0'], new Map()).tails, ['NAN'])
})

t.test('codes of a source become keys', async t => {
  const cases: [country: string, code: string, key: string | undefined, kind?: string][] = [
    ['FR', '75021 CEDEX 01', '75021', 'unique'],
    ['FR', '75700 SP 07', '75700', 'military'],
    ['LU', 'L-4968', '4968'],
    ['MX', '1000', '01000'],
    ['IM', 'IM1', 'IM1'],
    ['MT', 'VLT 1000', 'VLT1000'],
    ['US', '902', '902'],
    ['US', '90210-1234-5678', undefined],
    ['GB', 'SW1A/1AA', undefined],
  ]
  for (const [country, code, key, kind = ''] of cases) {
    const form = normaliser(country)(code)
    t.equal(form?.key, key, `${country} ${code}`)
    if (form !== null) t.equal(form.kind, kind)
  }
})
