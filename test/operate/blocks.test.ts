import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { EXPECTED_CODES } from '../../datasets/reference/expected-codes.ts'
import { openIndex } from '../../src/postal/library/node.ts'
import { DEFAULT_INDEX } from '../support/default-index.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Returns the first block of a page in a language; `''` is a block without a language. */
function blockOf(page: string, language: string): string {
  const blocks = readFileSync(join(ROOT, page), 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)
  const found = [...blocks].find(([, name]) => name === language)
  if (found === undefined) throw new Error(`${page} has no block of ${language}`)
  return found[2].trimEnd()
}

t.test('the page has the codes and shares of the default index', async t => {
  const codes = new Map(
    openIndex(DEFAULT_INDEX)
      .countries()
      .map(({ country, codes }) => [country, codes]),
  )
  const row = /([A-Z]{2}) +([\d,]+|-) *(\d+%)? +([\d,]+) *(\d+%)?/g
  const numberOf = (text: string) => Number(text.replaceAll(',', ''))
  const shareOf = (country: string, count: number) => {
    const expected = EXPECTED_CODES[country]?.codes
    return expected && count ? `${Math.min(100, Math.floor((count / expected) * 100))}%` : undefined
  }
  const rows = [...blockOf('docs/data.md', '').matchAll(row)]
  t.equal(rows.length, 26)
  for (const [, country, own, share, world, worldShare] of rows) {
    const count = codes.get(country)
    t.equal(own, count?.toLocaleString('en') ?? '-', country)
    t.equal(share, shareOf(country, count ?? 0), country)
    t.equal(worldShare, shareOf(country, numberOf(world)), country)
  }
})
