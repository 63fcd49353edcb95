/** Models as bytes, for the way from one thread to another. A code takes 35 bytes, a tenth of its objects. */
import { pack, unpack } from 'msgpackr'
import { ACCURACIES, CODE_KINDS } from '../../src/postal/format/code-entry.ts'
import type { AdminModel, CodeModel, CountryModel, PlaceModel } from '../model.ts'

/** Places and areas are numbered, because codes share them. */
interface Packed extends Omit<CountryModel, 'codes'> {
  admins: AdminModel[]
  places: [
    name: string,
    key: string | undefined,
    admin: number,
    population: number,
    aliases: readonly string[],
  ][]
  zones: string[]
  /** Separated by spaces. */
  keys: string
  /** Latitude, longitude, elevation of each code. */
  numbers: Uint8Array
  /** Zone, accuracy, kind of each code, the number of its places, then these. */
  words: Uint8Array
}

export function packModel({ codes, ...rest }: CountryModel): Uint8Array {
  const admins = new Numbers<AdminModel>()
  const places = new Numbers<PlaceModel>()
  const zones = new Numbers<string>()
  const numbers = new Float64Array(codes.length * 3)
  const words = new Uint32Array(codes.reduce((sum, { places }) => sum + 4 + places.length, 0))
  let at = 0
  codes.forEach(({ lat, lon, elevation, timezone, grade, kind, places: own }, i) => {
    numbers[i * 3] = lat
    numbers[i * 3 + 1] = lon
    numbers[i * 3 + 2] = elevation
    words[at++] = zones.of(timezone)
    words[at++] = ACCURACIES.indexOf(grade)
    words[at++] = CODE_KINDS.indexOf(kind)
    words[at++] = own.length
    for (const place of own) words[at++] = places.of(place)
  })
  const packed: Packed = {
    ...rest,
    places: places.items.map(({ name, key, admin, population = 0, aliases }) => [
      name,
      key,
      admins.of(admin),
      population,
      aliases,
    ]),
    admins: admins.items,
    zones: zones.items,
    keys: codes.map(({ key }) => key).join(' '),
    numbers: new Uint8Array(numbers.buffer),
    words: new Uint8Array(words.buffer),
  }
  return new Uint8Array(pack(packed))
}

export function unpackModel(bytes: Uint8Array): CountryModel {
  const { admins, places: packedPlaces, zones, keys, numbers: n, words: w, ...rest }: Packed = unpack(bytes)
  const places: PlaceModel[] = packedPlaces.map(([name, key, admin, population, aliases]) => ({
    name,
    key,
    admin: admins[admin],
    population,
    aliases,
  }))
  // Copies begin at a multiple of eight.
  const numbers = new Float64Array(new Uint8Array(n).buffer)
  const words = new Uint32Array(new Uint8Array(w).buffer)
  let at = 0
  const codes = (keys === '' ? [] : keys.split(' ')).map((key, i): CodeModel => {
    const code = at
    const own: PlaceModel[] = []
    for (at += 4; own.length < words[code + 3]; at++) own.push(places[words[at]])
    return {
      key,
      lat: numbers[i * 3],
      lon: numbers[i * 3 + 1],
      elevation: numbers[i * 3 + 2],
      timezone: zones[words[code]],
      grade: ACCURACIES[words[code + 1]],
      kind: CODE_KINDS[words[code + 2]],
      places: own,
    }
  })
  return { ...rest, codes }
}

/** Numbers of items in the order in which they come. */
class Numbers<T> {
  readonly items: T[] = []
  readonly #numbers = new Map<T, number>()

  of(item: T): number {
    const known = this.#numbers.get(item)
    if (known !== undefined) return known
    this.#numbers.set(item, this.items.length)
    return this.items.push(item) - 1
  }
}
