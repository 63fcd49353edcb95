import { addToSet, increment } from '../../datasets/maps.ts'
import type { Source } from '../../datasets/source.ts'
import type { Completeness } from '../../src/postal/format/meta.ts'
import type { BuildReport } from '../build-report.ts'
import { maskOf } from './code-rules.ts'
import type { Explanation } from './explanation.ts'
import { fillGaps } from './fill-gaps.ts'
import { PlacePool } from './places.ts'
import { parentOf } from './postal-unions.ts'
import { RowCode } from './row-code.ts'
import { placer, rowQuirk } from './row-quirks.ts'
import type { UnionRows } from './union-rows.ts'

/** Share of a source's codes that better sources may lack without a note. */
const LEFT_OUT_MAX = 0.1

export interface Collected {
  country: string
  codes: Map<string, RowCode>
  pool: PlacePool
  sources: string[]
  completeness: Completeness
  /** Names of places in weaker sources, by key of a code or of its first part. */
  towns: Map<string, Set<string>>
  /** In the best source. */
  masks: Map<string, number>
  /** True after a source that does not lack codes. */
  hasBest: boolean
  /** Number of rows. */
  rows: number
}

export interface Inputs {
  sources: readonly Source[]
  report: BuildReport
  unions: UnionRows
  /** Receives what is found about one code. */
  explanation?: Explanation
}

/**
 * Collects the codes of `country`, without those of other members of its postal union. Sources give codes up
 * to and including the first that lacks none. Later sources fill gaps, and add codes where `addsCodes` says so.
 */
export function collect(country: string, inputs: Inputs): Collected {
  const parent = parentOf(country)
  const collected: Collected = {
    country,
    codes: new Map(),
    pool: new PlacePool(),
    sources: [],
    completeness: 'partial',
    towns: new Map(),
    masks: new Map(),
    hasBest: false,
    rows: 0,
  }
  for (const [merit, { countries }] of inputs.sources.entries())
    for (const listedUnder of parent === undefined ? [country] : [country, parent])
      if (listedUnder in countries) takeRows(collected, merit, listedUnder, inputs)
  return collected
}

function takeRows(
  collected: Collected,
  merit: number,
  listedUnder: string,
  { sources, report, unions, explanation }: Inputs,
): void {
  const { country, codes, pool, towns, masks } = collected
  const source = sources[merit]
  const isBest = !collected.hasBest
  const addsCodes = isBest || source.addsCodes?.includes(listedUnder) === true
  const stated = source.countries[listedUnder]
  const [placed, quirk] = [placer(country), rowQuirk(listedUnder)]
  const rowsBefore = collected.rows
  const known = new Set<string>()
  const leftOut = new Set<string>()
  for (const [raw, form] of unions.rows(source, listedUnder, country)) {
    collected.rows++
    if (form.key === explanation?.key) explanation.row(source.id, raw)
    let code = codes.get(form.key)
    if (code?.source !== merit && !addsCodes && raw.place !== '') addToSet(towns, form.key, raw.place)
    if (code === undefined) {
      if (!addsCodes) {
        leftOut.add(form.key)
        continue
      }
      code = new RowCode(form.key, merit)
      codes.set(form.key, code)
      if (isBest && form.kind === '') increment(masks, maskOf(raw.code, form.key))
    }
    if (!addsCodes) known.add(form.key)
    const kinded = form.kind === '' ? raw : { ...raw, kind: form.kind }
    for (const row of quirk(placed(form.key, kinded)))
      if (code.source === merit) code.addRow(row, pool)
      else {
        // The credits show that both have the same data.
        const [one, other] = [source.attribution, sources[code.source].attribution]
        fillGaps(code, pool, row, one.includes(other) || other.includes(one))
      }
  }
  if (collected.rows === rowsBefore) return
  collected.hasBest ||= source.lacksCodes !== true
  if (stated === 'full' && leftOut.size > (leftOut.size + known.size) * LEFT_OUT_MAX)
    report.notes.push(
      `${country}: ${leftOut.size} of the ${leftOut.size + known.size} codes of ${source.id} are not among the ${codes.size} of ` +
        `${collected.sources.join(', ')}, and left out; check whether the latter source is cut short`,
    )
  if (isBest || (addsCodes && stated === 'full')) collected.completeness = stated
  if (!collected.sources.includes(source.id)) collected.sources.push(source.id)
}
