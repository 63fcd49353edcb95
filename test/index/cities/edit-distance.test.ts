import fc from 'fast-check'
import t from 'tap'
import { COMPARED_LENGTH_MAX, editDistance } from '../../../src/index/cities/edit-distance.ts'
import { naiveEdits } from '../../support/edits.ts'

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'abc'), maxLength: 9 }),
  fc.string({ unit: fc.constantFrom(...'abcdefgh'), maxLength: COMPARED_LENGTH_MAX, size: 'max' }),
)

/** A text and what a few edits make of it. */
const near = text.chain(from =>
  fc
    .array(fc.tuple(fc.nat(), fc.constantFrom('insert', 'remove', 'replace', 'exchange')), { maxLength: 3 })
    .map((edits): [string, string] => [from, edits.reduce((to, [at, edit]) => edited(to, at, edit), from)]),
)

function edited(text: string, position: number, edit: string): string {
  const at = position % (text.length + 1)
  const [before, after] = [text.slice(0, at), text.slice(at)]
  if (edit === 'insert') return `${before}d${after}`
  if (edit === 'remove') return before + after.slice(1)
  if (edit === 'replace') return `${before}d${after.slice(1)}`
  return before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2)
}

t.test('is the textbook distance, cut off at the limit', async () => {
  const pair = fc.oneof(fc.tuple(text, text), near)
  fc.assert(
    fc.property(pair, fc.integer({ min: 0, max: 3 }), ([from, to], limit) => {
      if (Math.max(from.length, to.length) > COMPARED_LENGTH_MAX) return true
      const found = editDistance(from, to, limit)
      return found === Math.min(naiveEdits(from, to), limit + 1)
    }),
    { numRuns: 20_000 },
  )
})
