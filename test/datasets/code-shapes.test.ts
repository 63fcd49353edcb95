import t from 'tap'
import { shapesOf } from '../../datasets/reference/code-shapes.ts'

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
