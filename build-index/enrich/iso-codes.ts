/** Codes of ISO 3166-2 for level-1 areas that sources number otherwise. */
import { addToSet, incrementIn, mostFrequent, sumOf } from '../../datasets/maps.ts'
import { knownIsoAreas, nativeIsoAreas } from '../../datasets/reference/iso-areas.ts'
import type { IsoArea, Row, Source } from '../../datasets/source.ts'
import { cityKey } from '../../src/text/city.ts'
import type { CodeDraft } from '../rows/drafts.ts'
import { type NormalForm, normaliser } from '../rows/normal-form.ts'

/** Kinds of areas, before or after the name. */
const KINDS =
  /^(land|provincia de|departamento de|région|kanton|canton) | (province|county|region|oblast|canton|maakond)$/i

const VOTES_MIN = 3
const VOTES_SHARE = 0.8

/** ISO areas of a country by `cityKey` of each unambiguous name. */
export class IsoAreas {
  readonly #byKey = new Map<string, IsoArea | null>()
  /** By code. */
  readonly #names = new Map<string, Set<string>>()

  /**
   * Learns names from `sources` that know ISO areas, and from the codes that they share with `codes`. GeoNames' Lazio
   * is IT-62 there. Without such a source `postal-code-checker` knows a few countries.
   */
  constructor(country: string, sources: readonly Source[], codes: ReadonlyMap<string, CodeDraft>) {
    const knowing = sources.filter(source => country in source.countries && source.areas !== undefined)
    for (const source of knowing) {
      const areas = new Map([...(source.areas?.(country) ?? [])].map(area => [area.code, area]))
      for (const area of areas.values()) this.#learn(area)
      for (const [name, code] of voted(source.rows(country), normaliser(country), codes)) {
        const area = areas.get(code)
        if (area === undefined || this.#byKey.get(cityKey(name))) continue
        this.#byKey.set(cityKey(name), area)
        this.#names.get(code)?.add(name)
      }
    }
    if (knowing.length === 0) for (const area of knownIsoAreas(country)) this.#learn(area)
    for (const area of nativeIsoAreas(country)) this.#learn(area)
  }

  #learn(area: IsoArea): void {
    for (const name of area.names) {
      addToSet(this.#names, area.code, name)
      for (const key of [cityKey(name), cityKey(name.replace(KINDS, ''))]) {
        const known = this.#byKey.get(key)
        this.#byKey.set(key, known === undefined || known?.code === area.code ? area : null)
      }
    }
  }

  /** Returns all names, in several languages, of the area that `name` means. */
  namesOf(name: string): Iterable<string> {
    return this.#names.get(this.find(name)?.code ?? '') ?? []
  }

  find(name: string): IsoArea | undefined {
    if (name === '') return undefined
    return this.#byKey.get(cityKey(name)) ?? this.#byKey.get(cityKey(name.replace(KINDS, ''))) ?? undefined
  }
}

/** Yields each level-1 name of `codes` with the area code that most of the same postal codes have in `rows`. */
function* voted(
  rows: Iterable<Row>,
  normalise: (code: string) => NormalForm | null,
  codes: ReadonlyMap<string, CodeDraft>,
): Iterable<[name: string, code: string]> {
  const votes = new Map<string, Map<string, number>>()
  for (const { code, code1 } of rows) {
    const name = codes.get(normalise(code)?.key ?? '')?.places[0].admin.name1 ?? ''
    if (name === '' || code1 === '') continue
    incrementIn(votes, name, code1)
  }
  for (const [name, counts] of votes) {
    const code = mostFrequent(counts) ?? ''
    const most = counts.get(code) ?? 0
    if (most >= VOTES_MIN && most >= sumOf(counts) * VOTES_SHARE) yield [name, code]
  }
}
