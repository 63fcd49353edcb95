import type { City } from '../../datasets/reference/cities-500.ts'
import type { GradedCode } from '../rows/code.ts'
import type { Areas, Place, PlacePool } from '../rows/places.ts'

/** Cities that codes gain as further places, one after another. */
export class Gains {
  readonly #pool: PlacePool
  /** Places with gained ones, by code. */
  readonly #places = new Map<GradedCode, readonly Place[]>()
  readonly #cities = new Set<City>()

  constructor(pool: PlacePool) {
    this.#pool = pool
  }

  placesOf(code: GradedCode): readonly Place[] {
    return this.#places.get(code) ?? code.places
  }

  /** Returns true if a code has gained `city`. */
  has(city: City): boolean {
    return this.#cities.has(city)
  }

  /** Adds cities that the code does not have, in the areas of `admin`. */
  add(code: GradedCode, cities: readonly City[], admin = code.places[0].admin): void {
    const places = this.placesOf(code)
    // A place joined with the city has all its names already.
    const added = cities
      .filter(city => !places.some(place => place.city === city))
      .map(city => this.#placeOf(city, admin))
    for (const city of cities) this.#cities.add(city)
    if (added.length === 1) this.#places.set(code, this.#pool.joined(places, added[0]))
    // The list of thousands is made once.
    else if (added.length > 1) this.#places.set(code, [...new Set([...places, ...added])])
  }

  #placeOf(city: City, admin: Areas): Place {
    const areas = admin.name3 === '' ? admin : this.#pool.withoutLevel3(admin)
    return this.#pool.place(city.name, areas, [], city)
  }
}
