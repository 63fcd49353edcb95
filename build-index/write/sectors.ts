/**
 * Sectors: the first digits of codes, which tell the municipality. Some posts number municipalities in ascending
 * ranges, and sources have only the first code of each range. `7510689` lies in Providencia, which begins at `7500000`.
 */
import { formsWithPart } from '../../datasets/reference/first-parts.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import type { CodeModel } from '../model.ts'
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

/** Returns the shapes of what follows a sector. A full code is valid as soon as its sector is known. */
export function sectorTails(country: string): string[] {
  return country in NUMBERINGS ? formsWithPart(country).map(form => form.split('|')[1]) : []
}

/**
 * Returns the first code of the municipality of each sector.
 * @param codes ascending by key
 */
export function sectorsOf(country: string, codes: readonly CodeModel[]): Map<string, CodeModel> {
  const sectors = new Map<string, CodeModel>()
  const numbering = NUMBERINGS[country]
  if (numbering === undefined) return sectors
  const unit = 10 ** (numbering.sector - numbering.region)
  const sectorOf = ({ key }: CodeModel) => Number(key.slice(0, numbering.sector))
  const firsts = firstCodes(codes)
  for (const [i, code] of firsts.entries()) {
    const { population = 0 } = code.places[0]
    const start = sectorOf(code)
    const next = i + 1 < firsts.length ? sectorOf(firsts[i + 1]) : 10 ** numbering.sector
    const regionEnd = (Math.floor(start / unit) + 1) * unit
    let end = population < numbering.populationMin ? start + 1 : next
    if (population < REGIONS_POPULATION_MIN && end >= regionEnd)
      end = Math.min(regionEnd, start + LAST_SECTORS_MAX)
    for (let sector = start; sector < end; sector++) {
      const key = String(sector).padStart(numbering.sector, '0')
      if (!sectors.has(key)) sectors.set(key, code)
    }
  }
  return sectors
}

/** Returns the first code of each municipality, ascending. */
function firstCodes(codes: readonly CodeModel[]): CodeModel[] {
  const seen = new Set<string>()
  return codes.filter(({ places: [{ name, admin }] }) => {
    const municipality = `${cityKey(name)}\t${admin.name1}`
    return !seen.has(municipality) && seen.add(municipality)
  })
}
