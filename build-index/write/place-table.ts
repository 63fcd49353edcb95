/** The PLAC, PSIG, ALIA and ASIG sections of all countries, and the lists in POST that they point to. */
import type { NameHead } from '../../src/format/admin-entry.ts'
import { ENTRIES_MAX, signatureOf } from '../../src/format/city-hash.ts'
import type { CountryRanges, CountryRules } from '../../src/format/meta.ts'
import { packArea, packListReference } from '../../src/format/place-entry.ts'
import { cityKey } from '../../src/text/city.ts'
import type { AdminModel, PlaceModel } from '../model.ts'
import type { AdminTable } from './admin-table.ts'
import { ByteWriter } from './byte-writer.ts'
import { placeFingerprint } from './fingerprint.ts'
import { GrowableU32 } from './growable.ts'
import { NameTable } from './name-table.ts'
import { compareKeys, compareText, lengthStarts } from './order.ts'
import type { TextPool } from './text-pool.ts'

export interface Place {
  name: string
  key: string
  /** Index into ADMN, of any entry with its areas: which time zone that has does not matter to city search. */
  admin: number
  /** Index into ADMN's areas. */
  area: number
  /** 0 when it is not known. */
  population: number
  /** Ascending, each once. */
  codes: number[]
  aliases: Set<string>
  /** Names that its codes answer with, one for each time zone that they lie in. */
  names: { zone: number; name: CodeName }[]
  /** Index into PLAC; -1 before `addCountry`. */
  index: number
  fingerprint: number
}

/** A name that codes answer with. */
export interface CodeName extends NameHead {
  text: string
  /** Index into ADMN, of the entry with the time zone of the codes. */
  readonly admin: number
  /** Where the text is in TEXT; -1 before `addCountry`. */
  offset: number
}

interface Alias {
  name: string
  key: string
  places: Set<Place>
}

/** Where the places of one country lie, as CTRY and RULE state it. */
export interface PlaceRanges {
  ranges: Pick<
    CountryRanges,
    'placeStart' | 'placeCount' | 'aliasStart' | 'aliasCount' | 'nameStart' | 'nameCount' | 'textStart'
  >
  lengths: Pick<CountryRules, 'placeLengths' | 'aliasLengths'>
}

/** Collects one country's places, and the names that its codes answer with, for `PlaceTable` to write. */
export class CountryPlaces {
  /** By area, then by name. */
  readonly #places = new Map<number, Map<string, Place>>()
  /** Models are shared by reference between codes, so most look-ups end here. */
  readonly #seen = new Map<PlaceModel, Place>()
  readonly #names: CodeName[] = []
  readonly #admins: AdminTable

  constructor(admins: AdminTable) {
    this.#admins = admins
  }

  /**
   * Notes that `place` has the code with index `code`, which lies in the time zone with the number `zone`. Codes come in ascending order.
   * @returns the place of its name and areas
   */
  add(model: PlaceModel, zone: number, code: number): Place {
    const place = this.#place(model, zone)
    if (place.codes.at(-1) !== code) place.codes.push(code)
    return place
  }

  /** The name that codes of `place` in the time zone with the number `zone` answer with. */
  name({ name: text, area, population, names }: Place, zone: number): CodeName {
    for (const known of names) if (known.zone === zone) return known.name
    const name = { text, admin: this.#admins.entry(area, zone), population, offset: -1 }
    names.push({ zone, name })
    this.#names.push(name)
    return name
  }

  /** The name that an area answers with, which is no place's alone. */
  areaName(text: string, admin: AdminModel, zone: number): CodeName {
    const name = {
      text,
      admin: this.#admins.entry(this.#admins.area(admin), zone),
      population: 0,
      offset: -1,
    }
    this.#names.push(name)
    return name
  }

  #place(model: PlaceModel, zone: number): Place {
    let place = this.#seen.get(model)
    if (place === undefined) {
      place = this.#equalPlace(model, zone)
      for (const alias of model.aliases) place.aliases.add(alias)
      this.#seen.set(model, place)
    }
    return place
  }

  #equalPlace({ name, admin, key, population = 0 }: PlaceModel, zone: number): Place {
    const area = this.#admins.area(admin)
    let places = this.#places.get(area)
    if (places === undefined) {
      places = new Map()
      this.#places.set(area, places)
    }
    let place = places.get(name)
    if (place === undefined) {
      place = {
        name,
        key: key ?? cityKey(name),
        admin: this.#admins.entry(area, zone),
        area,
        population,
        codes: [],
        aliases: new Set(),
        names: [],
        index: -1,
        fingerprint: placeFingerprint(name, admin),
      }
      places.set(name, place)
    }
    return place
  }

  names(): Iterable<CodeName> {
    return this.#names
  }

  /** Sorts places of one key: the one with the most codes first, because suggestions spell the name as it does. */
  sorted(): Place[] {
    return Array.from(this.#places.values(), places => [...places.values()])
      .flat()
      .sort(
        (a, b) =>
          compareKeys(a, b) ||
          b.codes.length - a.codes.length ||
          compareText(a.name, b.name) ||
          a.admin - b.admin,
      )
  }
}

export class PlaceTable {
  readonly #text: TextPool
  readonly #places = new GrowableU32()
  readonly #placeSignatures = new GrowableU32()
  readonly #aliases = new GrowableU32()
  readonly #aliasSignatures = new GrowableU32()
  readonly #lists = new ByteWriter()
  #searchTextBytes = 0
  /** Every name that HASH leads to. */
  readonly names = new NameTable()

  constructor(text: TextPool) {
    this.#text = text
  }

  get placeCount(): number {
    return this.#placeSignatures.length
  }

  get aliasCount(): number {
    return this.#aliasSignatures.length
  }

  /**
   * Writes a country's places and gives each its index, and each name its offset.
   * @throws RangeError past 2^24 places and aliases
   */
  addCountry(country: string, collected: CountryPlaces): PlaceRanges {
    const places = collected.sorted()
    const placeStart = this.placeCount
    const textStart = this.#text.length
    // Names that codes answer with come first, so that they are near each other. Only city search reads what follows.
    for (const name of collected.names()) name.offset = this.#text.addName(name.text, name)
    places.forEach((place, i) => {
      this.#addPlace(place, i > 0 && places[i - 1].key === place.key)
    })
    const aliases = aliasesOf(places)
    const owns = this.names.currentNames()
    const aliasStart = this.aliasCount
    const lists = new Map<string, number>()
    for (const alias of aliases) this.#addAlias(alias, owns, lists)
    if (this.placeCount + this.aliasCount > ENTRIES_MAX) {
      throw new RangeError(
        `PLAC and ALIA together hold at most ${ENTRIES_MAX} entries; build fewer countries`,
      )
    }
    const ranges = {
      placeStart,
      placeCount: places.length,
      aliasStart,
      aliasCount: aliases.length,
      ...this.names.endCountry(country),
      textStart,
    }
    return {
      ranges,
      lengths: {
        placeLengths: lengthStarts(places, placeStart),
        aliasLengths: lengthStarts(aliases, aliasStart),
      },
    }
  }

  /** Bytes that only city search needs: places, other names, lists, signatures, and names that no code answers with. */
  get searchBytes(): number {
    const sections = Object.values(this.sections())
    return sections.reduce((sum, { length }) => sum + length, this.#searchTextBytes)
  }

  sections(): Record<'PLAC' | 'PSIG' | 'ALIA' | 'ASIG' | 'POST' | 'HASH' | 'NAME', Uint8Array> {
    return {
      PLAC: this.#places.bytes(),
      PSIG: this.#placeSignatures.bytes(),
      ALIA: this.#aliases.bytes(),
      ASIG: this.#aliasSignatures.bytes(),
      POST: this.#lists.bytes(),
      ...this.names.sections(this.placeCount),
    }
  }

  #addPlace(place: Place, sameKey: boolean): void {
    place.index = this.placeCount
    this.#places.push(this.#addText(place.name))
    this.#places.push(packArea(place.admin, sameKey))
    this.#places.push(this.#reference(place.codes))
    this.#placeSignatures.push(signatureOf(place.key))
    const { name, key, index } = place
    const codes = place.codes.length
    if (key === '') return
    if (sameKey) this.names.addCodes(codes)
    else this.names.add({ name, key, alias: false, index, codes })
  }

  /**
   * @param owns names of the places' own by city key
   * @param lists references to the lists of the aliases before it: equal lists have one
   */
  #addAlias(alias: Alias, owns: ReadonlyMap<string, string>, lists: Map<string, number>): void {
    const { name, key, places } = alias
    const codes = [...places].reduce((sum, place) => sum + place.codes.length, 0)
    const [ownKey, ...otherKeys] = new Set([...places].map(place => place.key))
    const own = otherKeys.length === 0 ? owns.get(ownKey) : undefined
    this.names.add({ name, key, alias: true, index: this.aliasCount, codes, own })
    this.#aliases.push(this.#addText(alias.name))
    const indexes = [...places].map(place => place.index).sort((a, b) => a - b)
    const list = indexes.join()
    const reference = lists.get(list) ?? this.#reference(indexes)
    lists.set(list, reference)
    this.#aliases.push(reference)
    this.#aliasSignatures.push(signatureOf(alias.key))
  }

  /** Offset of a text that only city search needs, unless a code answers with it as well. */
  #addText(text: string): number {
    const before = this.#text.length
    const offset = this.#text.add(text)
    this.#searchTextBytes += this.#text.length - before
    return offset
  }

  /** One index as it is, several as a list in POST. @param ascending each once */
  #reference(ascending: readonly number[]): number {
    return ascending.length === 1 ? ascending[0] : packListReference(this.#lists.list(ascending))
  }
}

/** One alias per city key, for all the places with it whose own name has another; the first spelling stays. */
function aliasesOf(places: readonly Place[]): Alias[] {
  const byKey = new Map<string, Alias>()
  // The parts of a city have its other names in common.
  const keys = new Map<string, string>()
  for (const place of places) {
    for (const name of place.aliases) {
      const key = keys.get(name) ?? cityKey(name)
      keys.set(name, key)
      if (key === '' || key === place.key) continue
      const alias = byKey.get(key)
      if (alias === undefined) byKey.set(key, { name, key, places: new Set([place]) })
      else alias.places.add(place)
    }
  }
  return [...byKey.values()].sort(compareKeys)
}
