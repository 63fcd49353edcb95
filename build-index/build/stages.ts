/**
 * Stages of a country, from its rows to its model. A code is a `RowCode` until its first place is chosen,
 * then a `CodeDraft`. A step takes the type that it needs, so that no step comes too early.
 */
import { hasExpectedCodes } from '../../datasets/reference/expected-codes.ts'
import type { AreaNames, Completeness } from '../../src/postal/format/meta.ts'
import { addCities } from '../cities/city-of-part.ts'
import { addLargeCities } from '../cities/further-cities.ts'
import { addMunicipalities } from '../cities/municipalities.ts'
import { addAliases } from '../fields/aliases.ts'
import { nameAreasNatively, otherAreaNames, setAreaFields } from '../fields/area-names.ts'
import { fillFromGazetteer, fillFromNeighbours, followPositions } from '../fields/fill-areas.ts'
import { fillZonesAndHeights } from '../fields/zones-and-heights.ts'
import { AreaExtents } from '../gazetteer/area-extents.ts'
import type { CountryRows } from '../gazetteer/country.ts'
import type { Gazetteer } from '../gazetteer/gazetteer.ts'
import { IsoAreas } from '../gazetteer/iso-codes.ts'
import { ascending, type CodeModel, type CountryModel } from '../model.ts'
import { correctByFirstDigits } from '../places/code-areas.ts'
import type { CountryDraft } from '../places/code-draft.ts'
import { completeAreas } from '../places/complete-areas.ts'
import { joinPlaces, joinPlacesThere } from '../places/join-places.ts'
import { nameAreas } from '../places/name-areas.ts'
import { takePlainNames } from '../places/plain-names.ts'
import { choosePrimaries } from '../places/primary-place.ts'
import { spellPlaces } from '../places/spell-places.ts'
import { correctStrays } from '../places/stray-codes.ts'
import { mendPositions } from '../position/contradicted.ts'
import { gradePositions, withdrawRoughEstimates } from '../position/grade.ts'
import { decidePositions } from '../position/settle.ts'
import { nameNameless } from '../position/unnamed-codes.ts'
import { areShort, codeRules } from '../rows/code-rules.ts'
import type { Collected, Inputs } from '../rows/collect.ts'
import { membersOf, parentOf } from '../rows/postal-unions.ts'
import { inUS } from '../rows/us-states.ts'

export interface CountryFields extends CountryDraft {
  areaNames: AreaNames
}

/** Decides all fields of the codes of a country. */
export function countryFields(
  collected: Collected,
  { sources, explanation }: Inputs,
  gazetteerOf: (country: string) => Gazetteer,
): CountryFields {
  const { country, pool } = collected
  const codes = [...collected.codes.values()]
  const gazetteer = gazetteerOf(country)
  const parent = parentOf(country)
  const wider = parent === undefined ? undefined : gazetteerOf(parent)
  explanation?.after('rows', codes)
  completeAreas(country, codes, pool, gazetteer)
  const extents = new AreaExtents(country, codes, gazetteer)
  const isoAreas = new IsoAreas(country, sources, codes)
  const rows = { ...collected, codes, gazetteer, wider, extents, isoAreas, sources, explanation }
  const named = run(completeAreas.name, rows, [
    correctByFirstDigits,
    correctStrays,
    takePlainNames,
    joinPlaces, // needs plain names
    spellPlaces, // needs joined places
    addCities, // needs joined places
    nameAreas, // the name of an area makes a place the first
  ])
  const draft = run(choosePrimaries.name, choosePrimaries(named), [
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
  ])
  return { ...draft, areaNames: otherAreaNames(draft) }
}

/** @param begun name of what made `country` */
function run<C extends CountryRows | CountryDraft>(
  begun: string,
  country: C,
  steps: readonly ((country: C) => void)[],
): C {
  const { explanation, codes } = country
  explanation?.after(begun, codes)
  for (const step of steps) {
    step(country)
    explanation?.after(step.name, codes)
  }
  return country
}

/** Returns the model of a country with the codes of the members of its postal union. */
export function countryModel(country: string, fieldsOf: (country: string) => CountryFields): CountryModel {
  const { completeness: stated, masks, sourceIds: sources, areaNames } = fieldsOf(country)
  const codes = [country, ...membersOf(country)].flatMap((member): readonly CodeModel[] => {
    const own = fieldsOf(member).codes
    return country === 'US' ? inUS(own, member) : own
  })
  const keys = codes.map(({ key }) => key)
  const rules = codeRules(country, keys, masks)
  const completeness = areShort(country, keys, rules) ? 'short codes' : completenessOf(country, codes, stated)
  return { country, completeness, sources, rules, areaNames, codes: ascending(codes) }
}

/** Returns `stated`, or `partial` where codes are missing. French CEDEX codes are not counted. */
function completenessOf(country: string, codes: readonly CodeModel[], stated: Completeness): Completeness {
  const counted = country === 'FR' ? codes.filter(({ kind }) => kind === '') : codes
  return stated === 'full' && !hasExpectedCodes(country, counted.length) ? 'partial' : stated
}
