import { isDeepStrictEqual } from 'node:util'
import { AT_PLACE, ESTIMATED, MEASURED } from '../../datasets/row.ts'
import type { Source } from '../../datasets/source.ts'
import { bold } from '../../src/platform/terminal.ts'
import { table } from '../../src/platform/text-table.ts'
import { explain } from '../build/stages.ts'
import { firstPartOf } from '../rows/code-rules.ts'
import type { ExplainedCandidate, ExplainedRow, Explanation } from '../rows/explanation.ts'
import { normaliser } from '../rows/normal-form.ts'
import { FIXED } from '../rows/position.ts'
import { ownerOf } from '../rows/postal-unions.ts'

/** Meanings of the accuracies that sources state. Other numbers of GeoNames' scale say nothing certain. */
const STATED: Readonly<Record<number, string>> = {
  [ESTIMATED]: 'estimate',
  [AT_PLACE]: 'at the place',
  [MEASURED]: 'measured',
  [FIXED]: 'fixed',
}

/** Maximum number of rows shown. Some codes have hundreds. */
const ROWS_SHOWN_MAX = 12

const CANDIDATE_HEADS = ['candidate', 'of', 'position', '>weight', 'evidence', '>score', 'why']

/** Builds the country of a code and returns how the code gets its fields. @throws Error for a code without rows */
export function explainCode(words: readonly string[], sources: readonly Source[]): Explanation {
  const [country = '', ...parts] = words
  const cc = country.toUpperCase()
  const key = /^[A-Z]{2}$/.test(cc) ? normaliser(cc)(parts.join(' '))?.key : undefined
  if (key === undefined)
    throw new Error(`${words.join(' ')} was found; expected a country and a postal code, such as DE 10115`)
  const explanation = explain(ownerOf(cc, key), key, sources)
  if (explanation.rows.length > 0) return explanation
  // A full code may be stored by its first part: BR 01310-100 by 01310.
  const first = firstPartOf(cc)(key)
  if (first === '' || first === key) throw new Error(`no source has a row of ${cc} ${key}`)
  console.error(`No source has a row of ${cc} ${key}; only its first part ${first} may answer.`)
  return explainCode([cc, first], sources)
}

export function explanationText({ country, key, rows, steps }: Explanation): string {
  const more = rows.length - ROWS_SHOWN_MAX
  return [
    bold(`${country} ${key}`),
    '',
    table(
      ['source', 'place', 'areas', 'position', 'stated accuracy'],
      rows.slice(0, ROWS_SHOWN_MAX).map(rowCells),
    ),
    ...(more > 0 ? [`and ${more} more rows`] : []),
    ...steps.flatMap(({ step, candidates, fields }, i) => {
      const isSame = isDeepStrictEqual(candidates, steps[i - 1]?.candidates)
      const found = isSame
        ? '  the same candidates and scores'
        : table(CANDIDATE_HEADS, candidates.map(candidateCells))
      const changed = Object.entries(fields).map(
        ([name, value]) => `  ${name}: ${value === '' ? 'none' : value}`,
      )
      return ['', bold(step), ...(candidates.length === 0 ? [] : [found]), ...changed]
    }),
  ].join('\n')
}

function rowCells({ source, row }: ExplainedRow): string[] {
  const { place, name1, name2, name3, accuracy } = row
  const areas = [name1, name2, name3].filter(area => area !== '').join(' / ')
  return [source, place, areas, position(row), accuracy === 0 ? '' : (STATED[accuracy] ?? String(accuracy))]
}

function candidateCells(candidate: ExplainedCandidate): string[] {
  const { name, of, weight, terms, score, note } = candidate
  const evidence = terms.map(([term, points]) => `${term} ${points.toFixed(2)}`).join(', ')
  const scored = Number.isNaN(score) ? '' : score.toFixed(2)
  return [name, of, position(candidate), weight.toFixed(2), evidence, scored, note]
}

function position({ lat, lon }: { lat: number; lon: number }): string {
  return Number.isNaN(lat) ? '' : `${lat},${lon}`
}
