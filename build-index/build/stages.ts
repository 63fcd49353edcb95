/**
 * Stages of a country, from its rows to its fields. A code is a `RowCode` until its first place is chosen, then a `CodeDraft`. The folders
 * `rows`, `places`, `position` and `fields` have the steps.
 */
import { getOrMake } from '../../datasets/maps.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import type { AreaNames } from '../../src/postal/format/meta.ts'
import { addAliases } from '../fields/aliases.ts'
import { setAreaFields } from '../fields/area-fields.ts'
import { nameAreasNatively, otherAreaNames } from '../fields/area-names.ts'
import { fillFromGazetteer, fillFromNeighbours, followPositions } from '../fields/fill-areas.ts'
import { addLargeCities } from '../fields/large-cities.ts'
import { addMunicipalities } from '../fields/municipalities.ts'
import { fillZonesAndHeights } from '../fields/zones-and-heights.ts'
import { AreaExtents } from '../gazetteer/area-extents.ts'
import type { Country, CountryRows } from '../gazetteer/country.ts'
import { Gazetteer } from '../gazetteer/gazetteer.ts'
import { IsoAreas } from '../gazetteer/iso-codes.ts'
import { addCities } from '../places/add-cities.ts'
import { correctByFirstDigits } from '../places/code-areas.ts'
import type { CodeDraft, CountryDraft } from '../places/code-draft.ts'
import { completeAreas } from '../places/complete-areas.ts'
import { joinPlaces } from '../places/join-places.ts'
import { nameAreas } from '../places/name-areas.ts'
import { takePlainNames } from '../places/plain-names.ts'
import { choosePrimaries } from '../places/primary-place.ts'
import { spellPlaces } from '../places/spell-places.ts'
import { correctStrays } from '../places/stray-codes.ts'
import { decidePositions, gradePositions, mendPositions, withdrawRoughEstimates } from '../position/decide.ts'
import { joinPlacesThere } from '../position/join-there.ts'
import { nameNameless } from '../position/unnamed-codes.ts'
import { type Collected, collect, type Inputs } from '../rows/collect.ts'
import { parentOf } from '../rows/postal-unions.ts'
import type { RowCode } from '../rows/row-code.ts'

/** Steps over rows, in order. `choosePrimaries` follows. */
const ROW_STEPS: readonly ((country: CountryRows) => void)[] = [
  correctByFirstDigits,
  correctStrays,
  takePlainNames,
  joinPlaces, // needs plain names
  spellPlaces, // needs joined places
  addCities, // needs joined places
  nameAreas, // the name of an area makes a place the first
]

/** Steps over codes with a first place, in order. */
const STEPS: readonly ((country: CountryDraft) => void)[] = [
  // Position and accuracy
  decidePositions,
  nameNameless, // by the position
  gradePositions, // needs names
  mendPositions, // needs accuracies
  joinPlacesThere,
  gradePositions, // joined and mended codes have other accuracies
  // What the position tells
  fillZonesAndHeights,
  followPositions,
  // Further places, for city search
  addMunicipalities,
  addLargeCities,
  withdrawRoughEstimates, // zones and cities need them
  // Areas that rows lack
  fillFromGazetteer,
  fillFromNeighbours,
  nameAreas, // of filled areas
  setAreaFields,
  // Names that people read and type
  nameAreasNatively, // all steps before match areas by the names of sources
  addAliases,
]

export interface CountryFields extends Omit<Collected, 'codes'> {
  /** Ascending. */
  codes: readonly CodeDraft[]
  areaNames: AreaNames
  cities: readonly City[]
}

/**
 * Decides all fields of the codes of `country`, without those of other members of its postal union.
 * @param gazetteers by country; receives those that are read
 */
export function countryFields(
  country: string,
  inputs: Inputs,
  gazetteers: Map<string, Gazetteer>,
): CountryFields {
  const collected = collect(country, inputs)
  const { pool, towns } = collected
  const { sources, explanation } = inputs
  const gazetteerOf = (country: string) => getOrMake(gazetteers, country, () => new Gazetteer(country))
  const gazetteer = gazetteerOf(country)
  const { cities } = gazetteer
  const codes = [...collected.codes.values()]
  if (codes.length === 0) return { ...collected, codes: [], areaNames: {}, cities }
  const parent = parentOf(country)
  const wider = parent === undefined ? undefined : gazetteerOf(parent)
  completeAreas(country, codes, pool, gazetteer)
  const extents = new AreaExtents(country, codes, gazetteer)
  const isoAreas = new IsoAreas(country, sources, codes)
  const rows: CountryRows = {
    country,
    codes,
    pool,
    towns,
    gazetteer,
    wider,
    extents,
    isoAreas,
    sources,
    explanation,
  }
  explanation?.after('rows', codes)
  run(ROW_STEPS, rows)
  const draft = choosePrimaries(rows)
  explanation?.after(choosePrimaries.name, draft.codes)
  run(STEPS, draft)
  return { ...collected, codes: draft.codes, areaNames: otherAreaNames(draft), cities }
}

function run<C extends RowCode | CodeDraft>(
  steps: readonly ((country: Country<C>) => void)[],
  country: Country<C>,
): void {
  for (const step of steps) {
    step(country)
    country.explanation?.after(step.name, country.codes)
  }
}
