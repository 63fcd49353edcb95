/** Refuses an index that lost much: a broken source is likelier than a real change. */
import { existsSync } from 'node:fs'
import type { CountryMeta } from '../../src/postal/format/meta.ts'
import { IndexFileError } from '../../src/postal/index/index-file-error.ts'
import { withIndex } from '../../src/postal/index/open-index.ts'
import { countriesOf } from '../../src/postal/index/postal-index.ts'

/** Maximum share of codes, or of codes with a field, that a new build may lose. */
const LOSS_MAX = 0.1

const COUNTED = {
  codeCount: 'codes',
  named: 'place names',
  positions: 'positions',
  zoned: 'time zones',
  elevated: 'elevations',
} as const satisfies Partial<Record<keyof CountryMeta, string>>

/**
 * Compares the counts of both indexes, if there is an old one.
 * @returns a sentence for each country with fewer codes or places, or the reason why nothing was compared
 * @throws Error for losses above `LOSS_MAX`, unless `accepted`
 */
export function expectLittleLoss(previous: string, next: string, accepted: boolean): string[] {
  if (!existsSync(previous)) return []
  let countries: CountryMeta[]
  try {
    countries = metasIn(previous)
  } catch (error) {
    // Rebuilding must work on a damaged or older file.
    if (!(error instanceof IndexFileError)) throw error
    return [`the new index was not compared with the old one: ${error.path}: ${error.problem}`]
  }
  const now = new Map(metasIn(next).map(meta => [meta.cc, meta]))
  const losses = countries.flatMap(before => lossesOf(before, now.get(before.cc)))
  if (losses.length > 0 && !accepted)
    throw new Error(
      `the new index would lose more than ${LOSS_MAX * 100} percent of what ${previous} has:\n` +
        `${losses.map(loss => `  ${loss}`).join('\n')}\n` +
        'The old index stays. If a source is incomplete, fetch it again. If the loss is intended, build with --accept-loss',
    )
  return countries.flatMap(before => {
    const { codeCount = 0, placeCount = 0 } = now.get(before.cc) ?? {}
    if (codeCount >= before.codeCount && placeCount >= before.placeCount) return []
    return `${before.cc}: ${codeCount} codes and ${placeCount} places, ${before.codeCount} and ${before.placeCount} in the index before`
  })
}

function metasIn(path: string): CountryMeta[] {
  return withIndex(path, index => countriesOf(index).map(({ meta }) => meta))
}

function lossesOf(before: CountryMeta, now: CountryMeta | undefined): string[] {
  const losses: string[] = []
  for (const [field, words] of Object.entries(COUNTED) as [keyof typeof COUNTED, string][]) {
    const had = before[field]
    const has = now?.[field] ?? 0
    if (has < had * (1 - LOSS_MAX)) losses.push(`${before.cc}: ${has} ${words}, ${had} before`)
  }
  return losses
}
