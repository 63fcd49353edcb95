/**
 * Collects the rows of a postal union by code. A source may list rows of a member under the country of the post: 97400,
 * which is of RE, under FR. The key tells the owner.
 */
import { addToSet, increment } from '../../datasets/maps.ts'
import type { Row, Source } from '../../datasets/source.ts'
import type { Completeness } from '../../src/postal/format/meta.ts'
import type { BuildReport } from '../build-report.ts'
import { maskOf } from './code-rules.ts'
import type { Explanation } from './explanation.ts'
import { type NormalForm, normaliser } from './normal-form.ts'
import { PlacePool } from './places.ts'
import { membersOf, ownerOf } from './postal-unions.ts'
import { RowCode } from './row-code.ts'
import { corrector } from './row-quirks.ts'

/** Share of a source's codes that better sources may lack without a note. */
const LEFT_OUT_MAX = 0.1

/** Codes of a country, and what their rows tell about it. */
export class Collected {
  readonly cc: string
  readonly codes = new Map<string, RowCode>()
  readonly pool = new PlacePool()
  /** Identifiers of the sources that have rows, the best first. */
  readonly sourceIds: string[] = []
  completeness: Completeness = 'partial'
  /** Names of places in weaker sources, by key of a code or of its first part. */
  readonly towns = new Map<string, Set<string>>()
  /** Number of codes by mask, in the sources up to the first that lacks none. */
  readonly masks = new Map<string, number>()
  /** True after a source that lacks no codes. */
  hasAllCodes = false
  /** Number of rows. */
  rows = 0

  constructor(cc: string) {
    this.cc = cc
  }
}

export interface Inputs {
  sources: readonly Source[]
  report: BuildReport
  /** Receives what is found about one code. */
  explanation?: Explanation
}

/**
 * Collects the codes of `countries`, which the post of `post` serves. Sources give codes up to and including the first
 * that lacks none. Later sources fill gaps, and add codes where `addsCodes` says so. A country's own rows come before
 * its rows under the post.
 * @throws when a source cannot be read
 */
export function collect(post: string, countries: readonly string[], inputs: Inputs): Map<string, Collected> {
  const union = new Map(countries.map(country => [country, new Collected(country)]))
  const listings = [...countries.filter(country => country !== post), post]
  for (const [merit, { countries }] of inputs.sources.entries())
    for (const listedUnder of listings)
      if (listedUnder in countries) takeRows(union, post, listedUnder, merit, inputs)
  return union
}

/** Takes the rows that a source lists under one country. */
function takeRows(
  union: ReadonlyMap<string, Collected>,
  post: string,
  listedUnder: string,
  merit: number,
  inputs: Inputs,
): void {
  const { report, sources } = inputs
  const source = sources[merit]
  const normalise = normaliser(listedUnder)
  const isShared = listedUnder === post && membersOf(post).length > 0
  const takers = new Map(
    Array.from(union, ([country, collected]) => [country, takerOf(collected, listedUnder, merit, inputs)]),
  )
  let rows = 0
  const skip = (reason: string) => report.skip(source.id, reason)
  for (const row of source.rows(listedUnder, skip)) {
    rows++
    const form = normalise(row.code)
    if (form === null) skip(`${listedUnder}: no postal code: ${JSON.stringify(row.code)}`)
    else takers.get(isShared ? ownerOf(post, form.key) : listedUnder)?.take(row, form)
  }
  report.addRows(source.id, rows)
  for (const taker of takers.values()) taker.end()
}

/** Returns functions that take the rows of one country in one list of a source, and its end. */
function takerOf(
  collected: Collected,
  listedUnder: string,
  merit: number,
  { sources, report, explanation }: Inputs,
) {
  const { cc, codes, pool, towns, masks, sourceIds } = collected
  const source = sources[merit]
  const isUpToComplete = !collected.hasAllCodes
  const addsCodes = isUpToComplete || source.addsCodes?.includes(listedUnder) === true
  const stated = source.countries[listedUnder]
  const corrected = corrector(cc)
  const rowsBefore = collected.rows
  const known = new Set<string>()
  const leftOut = new Set<string>()
  const take = (raw: Row, { key, kind }: NormalForm) => {
    collected.rows++
    if (key === explanation?.key && cc === explanation.country) explanation.row(source.id, raw)
    let code = codes.get(key)
    if (code?.source !== merit && !addsCodes && raw.place !== '') addToSet(towns, key, raw.place)
    if (code === undefined) {
      if (!addsCodes) {
        leftOut.add(key)
        return
      }
      code = new RowCode(key, merit)
      codes.set(key, code)
      if (isUpToComplete && kind === '') increment(masks, maskOf(raw.code, key))
    }
    if (!addsCodes) known.add(key)
    for (const row of corrected(key, kind === '' ? raw : { ...raw, kind }))
      if (code.source === merit) code.addRow(row, pool)
      else {
        // The credits show that both have the same data.
        const [one, other] = [source.attribution, sources[code.source].attribution]
        code.fillGaps(row, pool, merit, one.includes(other) || other.includes(one))
      }
  }
  const end = () => {
    if (collected.rows === rowsBefore) return
    collected.hasAllCodes ||= source.lacksCodes !== true
    if (stated === 'full' && leftOut.size > (leftOut.size + known.size) * LEFT_OUT_MAX)
      report.notes.push(
        `${cc}: ${leftOut.size} of the ${leftOut.size + known.size} codes of ${source.id} are not among the ${codes.size} of ` +
          `${sourceIds.join(', ')}, and left out; check whether the latter source is cut short`,
      )
    if (isUpToComplete || (addsCodes && stated === 'full')) collected.completeness = stated
    if (!sourceIds.includes(source.id)) sourceIds.push(source.id)
  }
  return { take, end }
}
