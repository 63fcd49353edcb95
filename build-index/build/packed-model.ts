/** Models as bytes, for the way from one thread to another. Places and areas are numbered, because codes share them. */
import { pack, unpack } from 'msgpackr'
import { getOrMake } from '../../datasets/maps.ts'
import type { AdminModel, CodeModel, CountryModel, DecidedCode, PlaceModel } from '../model.ts'

type PackedPlace = [name: string, admin: number, population: number, aliases: readonly string[]]

type PackedCode = [
  key: string,
  lat: number,
  lon: number,
  elevation: number,
  accuracy: CodeModel['accuracy'],
  kind: CodeModel['kind'],
  zone: number,
  places: number[],
]

interface Packed extends Omit<CountryModel, 'codes'> {
  admins: AdminModel[]
  places: PackedPlace[]
  zones: string[]
  codes: PackedCode[]
}

export function packModel({ codes, ...rest }: CountryModel<DecidedCode>): Uint8Array {
  const admins = new Numbers<AdminModel>()
  const places = new Numbers<PlaceModel>()
  const zones = new Numbers<string>()
  const packed: Packed = {
    ...rest,
    codes: codes.map(({ key, position, elevation, kind, timezone, places: own }) => {
      const { lat, lon, accuracy } = position
      const numbers = own.map(place => places.of(place))
      return [key, lat, lon, elevation, accuracy, kind, zones.of(timezone), numbers]
    }),
    places: places.items.map(({ name, admin, population = 0, aliases }) => {
      return [name, admins.of(admin), population, aliases]
    }),
    admins: admins.items,
    zones: zones.items,
  }
  return new Uint8Array(pack(packed))
}

export function unpackModel(bytes: Uint8Array): CountryModel {
  const { admins, places: packedPlaces, zones, codes: packedCodes, ...rest }: Packed = unpack(bytes)
  const places = packedPlaces.map(([name, admin, population, aliases]): PlaceModel => {
    return { name, admin: admins[admin], population, aliases }
  })
  const codes = packedCodes.map(([key, lat, lon, elevation, accuracy, kind, zone, numbers]): CodeModel => {
    const own = numbers.map(number => places[number])
    return { key, lat, lon, elevation, accuracy, kind, timezone: zones[zone], places: own }
  })
  return { ...rest, codes }
}

/** Numbers of items in the order in which they come. */
class Numbers<T> {
  readonly items: T[] = []
  readonly #numbers = new Map<T, number>()

  of(item: T): number {
    return getOrMake(this.#numbers, item, () => this.items.push(item) - 1)
  }
}
