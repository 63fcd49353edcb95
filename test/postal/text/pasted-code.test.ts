import fc from 'fast-check'
import t from 'tap'
import { canonicalCode } from '../../../src/postal/text/code.ts'
import { withoutPasted } from '../../../src/postal/text/pasted-code.ts'

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

t.test('a long text with a word before the code is read', async t => {
  t.equal(pasted('CEP: 01310-100', 'BR'), '01310100')
  t.equal(pasted('CPA C1425DKB', 'AR'), 'C1425DKB')
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
