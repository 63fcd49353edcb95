/** The PLAC, PSIG, ALIA and ASIG sections, and their lists in POST. */
import { getOrMake, memoised } from '../../datasets/maps.ts'
import { compareText } from '../../src/platform/compare-text.ts'
import type { NameHead } from '../../src/postal/format/admin-entry.ts'
import { ENTRIES_MAX, KEY_LENGTH_SLOTS, lengthSlot, signatureOf } from '../../src/postal/format/city-hash.ts'
import { packAdmin, packListReference } from '../../src/postal/format/place-entry.ts'
import { nameText } from '../../src/postal/text/city.ts'
import type { AdminModel, PlaceModel } from '../model.ts'
import type { AdminTable } from './admin-table.ts'
import { ByteWriter, WordWriter } from './byte-writer.ts'
import { NameTable } from './name-table.ts'
import type { TextPool } from './text-pool.ts'

export interface Place {
  name: string
  /** `nameText` of the first place with its key. */
  text: string
  key: string
  /** Entry of ADMN. City search ignores its time zone. */
  admin: number
  /** Number of its areas in `AdminTable`. */
  area: number
  population: number
  /** Ascending, each once. */
  codes: number[]
  aliases: Set<string>
  /** Name in answers, by time zone of the codes. */
  names: { zone: number; name: CodeName }[]
  /** Index into PLAC; -1 before `addCountry`. */
  index: number
}

/** Name in answers, with its entry of ADMN. */
export interface CodeName extends NameHead {
  text: string
  readonly admin: number
  /** Offset of the text in TEXT; -1 before `addCountry`. */
  offset: number
}

interface Alias extends NameForm {
  name: string
  /** Ascending. */
  places: Place[]
}

/** Collects places and names of a country for `PlaceTable`. */
export class CountryPlaces {
  readonly #places = new Map<number, Map<string, Place>>()
  /** Most look-ups end here: codes share places. */
  readonly #seen = new Map<PlaceModel, Place>()
  readonly #area = memoised((admin: AdminModel) => this.#admins.area(admin))
  readonly names: CodeName[] = []
  readonly #admins: AdminTable

  constructor(admins: AdminTable) {
    this.#admins = admins
  }

  /**
   * Adds a code to a place and returns the place, which equal models share.
   * @param zone number of the code's time zone
   * @param code ascending
   */
  add(model: PlaceModel, zone: number, code: number): Place {
    const place = getOrMake(this.#seen, model, () => this.#place(model, zone))
    if (place.codes.at(-1) !== code) place.codes.push(code)
    return place
  }

  /** Returns the name of a place in answers for a time zone. */
  name({ name: text, area, population, names }: Place, zone: number): CodeName {
    for (const known of names) if (known.zone === zone) return known.name
    const name = this.#newName(text, area, zone, population)
    names.push({ zone, name })
    return name
  }

  /** Returns the name of a first part in answers. */
  firstPartName(text: string, admin: AdminModel, zone: number): CodeName {
    return this.#newName(text, this.#area(admin), zone, 0)
  }

  #newName(text: string, area: number, zone: number, population: number): CodeName {
    const name = { text, admin: this.#admins.entry(area, zone), population, offset: -1 }
    this.names.push(name)
    return name
  }

  #place(model: PlaceModel, zone: number): Place {
    const { name, admin, population = 0 } = model
    const area = this.#area(admin)
    const places = getOrMake(this.#places, area, () => new Map<string, Place>())
    const place = getOrMake(places, name, () => ({
      name,
      ...formOf(name),
      admin: this.#admins.entry(area, zone),
      area,
      population,
      codes: [],
      aliases: new Set<string>(),
      names: [],
      index: -1,
    }))
    for (const alias of model.aliases) place.aliases.add(alias)
    return place
  }

  /** Returns places by key. The place with the most codes comes first: suggestions take its spelling. */
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
  readonly #places = new WordWriter()
  readonly #placeSignatures = new WordWriter()
  readonly #aliases = new WordWriter()
  readonly #aliasSignatures = new WordWriter()
  readonly #lists = new ByteWriter()
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
   * Writes places, and sets the index of each and the offset of each name.
   * @throws RangeError past 2^24 places and aliases
   */
  addCountry(country: string, collected: CountryPlaces) {
    const places = collected.sorted()
    const placeStart = this.placeCount
    const textStart = this.#text.length
    // Names in answers lie together, before texts of city search.
    for (const name of collected.names) name.offset = this.#text.addName(name.text, name)
    for (const [i, place] of places.entries()) this.#addPlace(place, places[i - 1])
    const aliases = aliasesOf(places)
    const aliasStart = this.aliasCount
    const lists = new Map<string, number>()
    for (const alias of aliases) this.#addAlias(alias, lists)
    if (this.placeCount + this.aliasCount > ENTRIES_MAX)
      throw new RangeError(
        `PLAC and ALIA together hold at most ${ENTRIES_MAX} entries; build fewer countries`,
      )
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

  #addPlace(place: Place, before: Place | undefined): void {
    const sameKey = before?.key === place.key
    if (sameKey) place.text = before.text
    place.index = this.placeCount
    this.#places.push(
      this.#text.add(place.name),
      packAdmin(place.admin, sameKey),
      this.#reference(place.codes),
    )
    this.#placeSignatures.push(signatureOf(place.key))
    const { text, key, index } = place
    const codes = place.codes.length
    if (key === '') return
    if (sameKey) this.names.addCodes(codes)
    else this.names.add({ text, key, alias: false, index, codes })
  }

  /** @param lists references by members, so that equal lists are written once */
  #addAlias({ name, text, key, places }: Alias, lists: Map<string, number>): void {
    const codes = places.reduce((sum, place) => sum + place.codes.length, 0)
    const own = places.every(place => place.key === places[0].key) ? places[0].text : ''
    this.names.add({ text, key, alias: true, index: this.aliasCount, codes, own })
    const indexes = places.map(place => place.index)
    const list = getOrMake(lists, indexes.join(), () => this.#reference(indexes))
    this.#aliases.push(this.#text.add(name), list)
    this.#aliasSignatures.push(signatureOf(key))
  }

  /** Returns a single index itself, or a reference to a list in POST. */
  #reference(ascending: readonly number[]): number {
    return ascending.length === 1 ? ascending[0] : packListReference(this.#lists.list(ascending))
  }
}

/** Returns the aliases of all places by city key, in their first spelling. */
function aliasesOf(places: readonly Place[]): Alias[] {
  const byKey = new Map<string, Alias>()
  // Parts of a city share its names.
  const forms = new Map<string, NameForm>()
  for (const place of places) {
    for (const name of place.aliases) {
      const { text, key } = getOrMake(forms, name, () => formOf(name))
      if (key === '' || key === place.key) continue
      const { places: own } = getOrMake(byKey, key, () => ({ name, text, key, places: [] }))
      if (own.at(-1) !== place) own.push(place)
    }
  }
  return [...byKey.values()].sort(compareKeys)
}

interface NameForm {
  /** `nameText` of the name. */
  text: string
  key: string
}

/** Returns both forms of a name at the cost of one: the key is the text without spaces. */
function formOf(name: string): NameForm {
  const text = nameText(name)
  return { text, key: text.replaceAll(' ', '') }
}

function compareKeys(a: { key: string }, b: { key: string }): number {
  return a.key.length - b.key.length || compareText(a.key, b.key)
}

/** Returns the first index of each key length, and the end, counted from `start`. */
function lengthStarts(sorted: readonly { key: string }[], start: number): number[] {
  const starts: number[] = []
  let at = 0
  for (let slot = 0; slot < KEY_LENGTH_SLOTS; slot++) {
    while (at < sorted.length && lengthSlot(sorted[at].key.length) < slot) at++
    starts.push(start + at)
  }
  starts.push(start + sorted.length)
  return starts
}
