import t from 'tap'
import { codeForms, shapesOf } from '../../datasets/reference/code-shapes.ts'

t.test('expressions become shapes', async t => {
  const cases: Record<string, string[]> = {
    '^(?:\\d{5})$': ['NNNNN'],
    '^(?:\\d{5}(?:[ \\-](\\d{4}))?)$': ['NNNNN', 'NNNNN|NNNN'],
    '^(?:[A-Z]{3} ?\\d{2,4})$': ['AAANN', 'AAANNN', 'AAANNNN', 'AAA|NN', 'AAA|NNN', 'AAA|NNNN'],
    '^(?:[\\dA-Z]{3} ?[\\dA-Z]{4})$': ['XXXXXXX', 'XXX|XXXX'],
    '^(?:GX11 1AA)$': ['AANN|NAA'],
    '^(?:948[5-9]|949[0-8])$': ['NNNN'],
    '^(?:(?:A|BC)\\d)$': ['AN', 'AAN'],
  }
  for (const [pattern, shapes] of Object.entries(cases)) t.same(shapesOf(pattern), shapes, pattern)
})

t.test('forms of the package', async t => {
  t.same(codeForms('PL')?.shapes, ['NN|NNN'])
  t.equal(codeForms('PL')?.examples[0], '00-950')
  t.same(codeForms('NL')?.shapes, ['NNNNAA', 'NNNN|AA'])
  t.equal(codeForms('AE'), undefined, 'a country without postal codes')
  t.ok(codeForms('GB')?.shapes.includes('AANX|NAA'))
  t.same(codeForms('VN')?.shapes, ['NNNNN', 'NNNNNN'], 'an optional sign is not a part of its own')
})
