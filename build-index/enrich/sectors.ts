/**
 * Sectors: the first digits of codes, which tell the municipality. Some posts number municipalities in ascending
 * ranges, and sources have only the first code of each range. `7510689` lies in Providencia, which begins at `7500000`.
 */
import { ascending } from '../model.ts'
import { CodeDraft } from '../rows/drafts.ts'
import { LAST_SECTORS_MAX, REGIONS_POPULATION_MIN } from '../thresholds.ts'

interface Numbering {
  /** Number of digits that tell the region. */
  region: number
  /** Number of digits of a sector. */
  sector: number
  /** A smaller municipality has one sector. Others have all sectors up to the next municipality. */
  populationMin: number
}
const NUMBERINGS: Readonly<Record<string, Numbering>> = {
  CL: { region: 1, sector: 3, populationMin: 0 },
  CN: { region: 3, sector: 4, populationMin: 500_000 },
}

/**
 * Returns the sectors of municipalities as codes at the municipality's position. Sectors that `codes` has are left out.
 */
export function sectorsOf(country: string, codes: readonly CodeDraft[]): CodeDraft[] {
  const numbering = NUMBERINGS[country]
  if (numbering === undefined) return []
  const unit = 10 ** (numbering.sector - numbering.region)
  const sectorOf = ({ key }: CodeDraft) => Number(key.slice(0, numbering.sector))
  const known = new Set(codes.filter(({ key }) => key.length === numbering.sector).map(sectorOf))
  const firsts = firstCodes(codes)
  return firsts.flatMap((code, i) => {
    const { population } = code.places[0]
    const start = sectorOf(code)
    const next = i + 1 < firsts.length ? sectorOf(firsts[i + 1]) : 10 ** numbering.sector
    const regionEnd = (Math.floor(start / unit) + 1) * unit
    let end = population < numbering.populationMin ? start + 1 : next
    if (population < REGIONS_POPULATION_MIN && end >= regionEnd)
      end = Math.min(regionEnd, start + LAST_SECTORS_MAX)
    const sectors: CodeDraft[] = []
    for (let sector = start; sector < end; sector++) {
      if (known.has(sector)) continue
      known.add(sector)
      sectors.push(sectorLike(code, String(sector).padStart(numbering.sector, '0')))
    }
    return sectors
  })
}

/** Returns the first code of each municipality, ascending. */
function firstCodes(codes: readonly CodeDraft[]): CodeDraft[] {
  const seen = new Set<string>()
  return ascending(codes).filter(({ places: [{ key, admin }] }) => {
    const municipality = `${key}\t${admin.name1}`
    return !seen.has(municipality) && seen.add(municipality)
  })
}

function sectorLike({ source, places, lat, lon, timezone }: CodeDraft, key: string): CodeDraft {
  return Object.assign(new CodeDraft(key, source), { places, lat, lon, timezone, grade: 'area' })
}
