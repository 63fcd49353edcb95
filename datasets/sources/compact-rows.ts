/** Many rows in little memory: numbers, and one object for all rows of a place. */
import type { Row } from '../source.ts'

/** Fields that rows of one place have in common. */
export type SharedPlace = Omit<Row, 'code' | 'lat' | 'lon'>

export class CompactRows {
  readonly #codes: string[] = []
  readonly #places: SharedPlace[] = []
  /** Latitude and longitude in turn. */
  readonly #degrees: number[] = []

  /** @param known places that rows of the caller have in common; it adds to them */
  add({ code, lat, lon, ...place }: Row, known: Map<string, SharedPlace>): void {
    const id = JSON.stringify(Object.values(place))
    const same = known.get(id) ?? place
    known.set(id, same)
    this.#codes.push(code)
    this.#places.push(same)
    this.#degrees.push(lat, lon)
  }

  /** The rows in the order in which they were added. */
  *rows(): Iterable<Row> {
    for (const [i, code] of this.#codes.entries())
      yield { ...this.#places[i], code, lat: this.#degrees[2 * i], lon: this.#degrees[2 * i + 1] }
  }
}
