/** Models as bytes, for the way from one thread to another. Places and areas are numbered, because codes share them. */
import { pack, unpack } from 'msgpackr'
import { getOrMake } from '../../datasets/maps.ts'
import type { AdminModel, CodeModel, CountryModel, PlaceModel } from '../model.ts'

type PackedPlace = [
  name: string,
  key: string | undefined,
  admin: number,
  population: number,
  aliases: readonly string[],
]

interface Packed extends Omit<CountryModel, 'codes'> {
  admins: AdminModel[]
  places: PackedPlace[]
  zones: string[]
  /** Columns of the codes. */
  keys: string[]
  lats: number[]
  lons: number[]
  elevations: number[]
  grades: CodeModel['accuracy'][]
  kinds: CodeModel['kind'][]
  zoneNumbers: number[]
  placeNumbers: number[][]
}

export function packModel({ codes, ...rest }: CountryModel): Uint8Array {
  const admins = new Numbers<AdminModel>()
  const places = new Numbers<PlaceModel>()
  const zones = new Numbers<string>()
  const packed: Packed = {
    ...rest,
    keys: codes.map(({ key }) => key),
    lats: codes.map(({ lat }) => lat),
    lons: codes.map(({ lon }) => lon),
    elevations: codes.map(({ elevation }) => elevation),
    grades: codes.map(({ accuracy }) => accuracy),
    kinds: codes.map(({ kind }) => kind),
    zoneNumbers: codes.map(({ timezone }) => zones.of(timezone)),
    placeNumbers: codes.map(({ places: own }) => own.map(place => places.of(place))),
    places: places.items.map(({ name, key, admin, population = 0, aliases }) => [
      name,
      key,
      admins.of(admin),
      population,
      aliases,
    ]),
    admins: admins.items,
    zones: zones.items,
  }
  return new Uint8Array(pack(packed))
}

export function unpackModel(bytes: Uint8Array): CountryModel {
  const { country, completeness, sources, rules, areaNames, admins, zones, ...columns }: Packed =
    unpack(bytes)
  const places = columns.places.map(([name, key, admin, population, aliases]): PlaceModel => {
    return { name, key, admin: admins[admin], population, aliases }
  })
  const codes = columns.keys.map(
    (key, i): CodeModel => ({
      key,
      lat: columns.lats[i],
      lon: columns.lons[i],
      elevation: columns.elevations[i],
      accuracy: columns.grades[i],
      kind: columns.kinds[i],
      timezone: zones[columns.zoneNumbers[i]],
      places: columns.placeNumbers[i].map(number => places[number]),
    }),
  )
  return { country, completeness, sources, rules, areaNames, codes }
}

/** Numbers of items in the order in which they come. */
class Numbers<T> {
  readonly items: T[] = []
  readonly #numbers = new Map<T, number>()

  of(item: T): number {
    return getOrMake(this.#numbers, item, () => this.items.push(item) - 1)
  }
}
