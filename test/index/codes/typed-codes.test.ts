/** What people type, through the server's own reader of bytes: the table that the builder's plain resolver is held to. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { CodeQuery } from '../../../src/index/codes/resolve.ts'
import { openIndex } from '../../../src/index/open-index.ts'
import { countryByText } from '../../../src/index/postal-index.ts'
import { SYMBOLS } from '../../../src/text/code.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'

const index = openIndex(DEFAULT_INDEX)
const query = new CodeQuery()

/** The key that a request finds, or `''`. */
function keyOf(cc: string, kind: string, typed: string): string {
  const country = countryByText(index, cc)
  if (country === null || country === undefined) return `no country ${cc}`
  const bytes = Buffer.from(typed)
  if (!query.set(bytes, 0, bytes.length)) return ''
  if (kind === 'number') query.pad(country.padTo)
  if (query.resolve(index.trie, country) < 0) return ''
  const key = query.symbols.subarray(query.keyStart, query.keyStart + query.keyLength)
  return Array.from(key, symbol => SYMBOLS[symbol]).join('')
}

const lines = readFileSync('test/data/typed-codes.tsv', 'utf8')
  .split('\n')
  .filter(line => line !== '' && !line.startsWith('#'))
t.ok(lines.length >= 450, `${lines.length} inputs`)
for (const line of lines) {
  const [cc, kind, typed, key] = line.split('\t')
  t.equal(keyOf(cc, kind, typed), key, `${cc} ${kind} ${JSON.stringify(typed)}`)
}
