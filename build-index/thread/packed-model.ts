/** A country's model on its way to another thread: columns of numbers, whose memory moves, and lists of texts. */
import type { Accuracy } from '../../src/format/accuracy.ts'
import type { AdminModel, CodeModel, CountryModel, PlaceModel } from '../model.ts'

export interface PackedModel {
  /** All but the codes. */
  head: Omit<CountryModel, 'codes'>
  admins: AdminModel[]
  /** By place: its name, its other names, and the index of its areas. */
  names: string[]
  aliases: (readonly string[])[]
  adminOf: Uint32Array<ArrayBuffer>
  /** By code. */
  keys: string[]
  written: string[]
  /** Latitude, longitude and elevation of each code in turn. */
  numbers: Float64Array<ArrayBuffer>
  /** The different pairs of grade and time zone, and by code the index of its own. */
  kinds: [grade: Accuracy, timezone: string][]
  kindOf: Uint32Array<ArrayBuffer>
  /** By code the end of its places in `places`, which are indexes into `names`. */
  ends: Uint32Array<ArrayBuffer>
  places: Uint32Array<ArrayBuffer>
}

const NUMBERS = 3

/** Packs `model`: about a microsecond a code. What codes share stays shared. */
export function packModel(model: CountryModel): PackedModel {
  const { codes, country, completeness, sources, rules, areaNames } = model
  const admins = new Numbered<AdminModel>()
  const places = new Numbered<PlaceModel>()
  const kinds: PackedModel['kinds'] = []
  const kindsByName = new Map<string, number>()
  const numbers = new Float64Array(codes.length * NUMBERS)
  const kindOf = new Uint32Array(codes.length)
  const ends = new Uint32Array(codes.length)
  const placesOf: number[] = []
  codes.forEach((code, i) => {
    numbers.set([code.lat, code.lon, code.elevation], i * NUMBERS)
    const name = `${code.grade} ${code.timezone}`
    let kind = kindsByName.get(name)
    if (kind === undefined) {
      kind = kinds.push([code.grade, code.timezone]) - 1
      kindsByName.set(name, kind)
    }
    kindOf[i] = kind
    for (const place of code.places) placesOf.push(places.of(place))
    ends[i] = placesOf.length
  })
  return {
    head: { country, completeness, sources, rules, areaNames },
    names: places.items.map(({ name }) => name),
    aliases: places.items.map(({ aliases }) => aliases),
    adminOf: Uint32Array.from(places.items, ({ admin }) => admins.of(admin)),
    admins: admins.items,
    keys: codes.map(({ key }) => key),
    written: codes.map(({ written }) => written),
    numbers,
    kinds,
    kindOf,
    ends,
    places: Uint32Array.from(placesOf),
  }
}

/** The memory of `packed` that moves to another thread. */
export function movedParts({ adminOf, numbers, kindOf, ends, places }: PackedModel): ArrayBuffer[] {
  return [adminOf, numbers, kindOf, ends, places].map(({ buffer }) => buffer)
}

/** The model that was packed. */
export function unpackModel(packed: PackedModel): CountryModel {
  const { head, admins, aliases, adminOf, keys, written, numbers, kinds, kindOf, ends } = packed
  const places = packed.names.map(
    (name, i): PlaceModel => ({ name, admin: admins[adminOf[i]], aliases: aliases[i] }),
  )
  // Most codes have one place, and share the list of it.
  const alone: PlaceModel[][] = []
  const placesOf = (start: number, end: number): PlaceModel[] => {
    if (end - start === 1) {
      const place = packed.places[start]
      alone[place] ??= [places[place]]
      return alone[place]
    }
    return Array.from(packed.places.subarray(start, end), place => places[place])
  }
  const codes = keys.map((key, i): CodeModel => {
    const [grade, timezone] = kinds[kindOf[i]]
    return {
      key,
      written: written[i],
      lat: numbers[i * NUMBERS],
      lon: numbers[i * NUMBERS + 1],
      elevation: numbers[i * NUMBERS + 2],
      grade,
      timezone,
      places: placesOf(i === 0 ? 0 : ends[i - 1], ends[i]),
    }
  })
  return { ...head, codes }
}

/** Items in the order in which they were first asked for, by identity. */
class Numbered<T> {
  readonly items: T[] = []
  readonly #numbers = new Map<T, number>()

  of(item: T): number {
    let number = this.#numbers.get(item)
    if (number === undefined) {
      number = this.items.push(item) - 1
      this.#numbers.set(item, number)
    }
    return number
  }
}
