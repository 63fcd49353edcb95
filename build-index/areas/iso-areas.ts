/** Codes of ISO 3166-2 for level-1 areas that sources number otherwise. */
import { addToSet } from '../../datasets/maps.ts'
import { areaSynonyms } from '../../datasets/reference/area-names.ts'
import { isoAreas, japaneseIsoAreas } from '../../datasets/reference/iso-areas.ts'
import type { IsoArea, Source } from '../../datasets/source.ts'
import { areaKey } from '../../src/postal/text/area.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import { type AnyCode, adminsOf } from '../rows/code.ts'

/** Areas of a country by `cityKey` of each name, else by `areaKey`. */
export class IsoAreas {
  /** True if sources know ISO areas: then the numbers of their rows are ISO codes. */
  readonly isSourced: boolean
  /** `null` where two areas of sources have the name. */
  readonly #byKey = new Map<string, IsoArea | null>()
  /** By code. */
  readonly #names = new Map<string, Set<string>>()

  /** Learns names from `sources` that know ISO areas, from ISO itself, and from the list of areas. */
  constructor(country: string, sources: readonly Source[], codes: readonly AnyCode[]) {
    const iso = isoAreas(country)
    const byCode = new Map(iso.map(area => [area.code, area]))
    const byName = new Map(iso.toReversed().map(area => [cityKey(area.names[0]), area]))
    const sourced = sources
      .filter(source => country in source.countries)
      .flatMap(source => [...(source.areas?.(country) ?? [])])
    this.isSourced = sourced.length > 0
    // Sources may have older codes than ISO.
    const known = [...sourced, ...(country === 'JP' ? japaneseIsoAreas() : [])].map(({ code, names }) => {
      const named = names.map(name => byName.get(cityKey(name))).find(area => area)
      return { code: byCode.get(code)?.code ?? named?.code ?? code, names }
    })
    // ISO has the names of abolished areas too, so a listed code goes first.
    const listed = areaSynonyms(country).map(names => ({
      code: names.find(name => byCode.has(name)) ?? '',
      names,
    }))
    const coded = listed.filter(({ code }) => code !== '')
    for (const areas of [known, coded, iso]) this.#learn(cityKey, areas)
    const named = listed.flatMap(({ code, names }) => {
      const area = names.map(name => this.#byKey.get(cityKey(name))).find(area => area)
      return code !== '' || !area ? [] : [{ code: area.code, names }]
    })
    this.#learn(cityKey, named)
    for (const areas of [known, iso, coded, named]) this.#learn(areaKey, areas)
    for (const { code, names } of [...iso, ...known])
      for (const name of names) addToSet(this.#names, code, name)
    this.#learnNumbered(codes, byCode)
  }

  /** Learns names that are not known yet. */
  #learn(keyOf: (name: string) => string, areas: readonly IsoArea[]): void {
    const before = new Set(this.#byKey.keys())
    for (const area of areas)
      for (const key of area.names.map(keyOf)) {
        if (before.has(key)) continue
        const found = this.#byKey.get(key)
        this.#byKey.set(key, found === undefined || found?.code === area.code ? area : null)
      }
  }

  /** Takes the area of a row's number, where most numbers are ISO codes and no other area has this one. */
  #learnNumbered(codes: readonly AnyCode[], byCode: ReadonlyMap<string, IsoArea>): void {
    const admins = [...adminsOf(codes)].filter(({ name1, code1 }) => name1 !== '' && code1 !== '')
    const found = new Map(admins.map(admin => [admin, this.find(admin.name1)?.code]))
    const taken = new Set(found.values())
    const same = admins.filter(admin => found.get(admin) === admin.code1).length
    const others = admins.filter(admin => found.get(admin) !== undefined).length - same
    if (same <= others) return
    for (const admin of admins) {
      const { name1, code1 } = admin
      const area = byCode.get(code1)
      if (area !== undefined && found.get(admin) === undefined && !taken.has(code1))
        this.#byKey.set(cityKey(name1), area)
    }
  }

  /** Returns all names, in several languages, of the area that `name` means. */
  namesOf(name: string): Iterable<string> {
    return this.#names.get(this.find(name)?.code ?? '') ?? []
  }

  find(name: string): IsoArea | undefined {
    if (name === '') return undefined
    return this.#byKey.get(cityKey(name)) ?? this.#byKey.get(areaKey(name)) ?? undefined
  }
}
