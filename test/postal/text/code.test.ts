import fc from 'fast-check'
import t from 'tap'
import { CodeQuery } from '../../../src/postal/index/codes/resolve.ts'
import { canonicalCode, SYMBOLS } from '../../../src/postal/text/code.ts'

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
