/** Step 1 of a country: rows of all its sources, the best first, become codes with places. */
import type { Completeness, Source } from '../datasets/source.ts'
import { type BuildReport, type CountryReport, count } from './build-report.ts'
import { maskOf } from './code-rules.ts'
import { addPlace, CodeDraft, PlacePool } from './drafts.ts'
import { fillGaps } from './fill-gaps.ts'
import { normaliser } from './normal-form.ts'
import { ownerOf, parentOf } from './postal-unions.ts'
import { rowQuirk } from './row-quirks.ts'

export interface Collected {
  country: string
  codes: Map<string, CodeDraft>
  pool: PlacePool
  /** Sources that gave something, the best first. */
  sources: string[]
  completeness: Completeness
  /** How often the best source writes its codes in which mask. */
  masks: Map<string, number>
}

/**
 * Codes of `country` and of no other member of its postal union, from `sources` in order of merit: the first that has
 * any gives the codes, a later one adds codes only if it says so, and else fills what is empty.
 */
export function collect(
  country: string,
  sources: readonly Source[],
  report: BuildReport,
  own: CountryReport,
): Collected {
  const parent = parentOf(country)
  const collected: Collected = {
    country,
    codes: new Map(),
    pool: new PlacePool(),
    sources: [],
    completeness: 'partial',
    masks: new Map(),
  }
  sources.forEach((source, merit) => {
    for (const giver of parent === undefined ? [country] : [country, parent])
      if (giver in source.countries) takeRows(collected, source, merit, giver, report, own)
  })
  return collected
}

function takeRows(
  collected: Collected,
  source: Source,
  merit: number,
  giver: string,
  report: BuildReport,
  own: CountryReport,
): void {
  const { country, codes, pool, masks } = collected
  const isBest = codes.size === 0
  const addsCodes = isBest || source.addsCodes === true
  const normalise = normaliser(country)
  const quirk = rowQuirk(giver)
  const rowsBefore = own.rows
  for (const raw of source.rows(giver)) {
    const form = normalise(raw.code)
    if (form === null) {
      report.skip(source.id, `${giver}: no postal code: ${JSON.stringify(raw.code)}`)
      continue
    }
    if (!isOwn(country, giver, form.key)) continue
    own.rows++
    if (form.quirk !== '') count(own.quirks, form.quirk)
    let code = codes.get(form.key)
    if (code === undefined) {
      if (!addsCodes) continue
      code = new CodeDraft(form.key, merit)
      codes.set(form.key, code)
      if (isBest && form.quirk !== 'CEDEX') countMask(masks, raw.code, form.key)
    }
    for (const row of quirk === undefined ? [raw] : quirk(raw, own.quirks))
      if (code.source === merit) addPlace(code, pool, row)
      else fillGaps(code, pool, row)
  }
  if (own.rows === rowsBefore) return
  if (isBest) collected.completeness = source.countries[giver]
  if (!collected.sources.includes(source.id)) collected.sources.push(source.id)
}

/** A union's post gives rows of all its members; each key counts for the one that owns it. */
function isOwn(country: string, giver: string, key: string): boolean {
  if (giver === country && parentOf(country) !== undefined) return true
  return ownerOf(giver, key) === country
}

function countMask(masks: Map<string, number>, code: string, key: string): void {
  const mask = maskOf(code, key)
  masks.set(mask, (masks.get(mask) ?? 0) + 1)
}
