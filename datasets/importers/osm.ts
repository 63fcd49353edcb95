/**
 * Addresses of OpenStreetMap: nodes, buildings, and boundaries of codes. A building has the position of its first
 * corner. Corners are elsewhere in the file, so up to three passes read addresses, ways of relations, and corners.
 */
import { basename } from 'node:path'
import { SOURCE_GROUPS_MAX } from '../limits.ts'
import { getOrMake } from '../maps.ts'
import { NOWHERE } from '../row.ts'
import { addressReader } from './address-text.ts'
import type { Entry } from './gather.ts'
import { type Importer, positionOf } from './importer.ts'
import { readOsm, type Tags, type Visitor } from './osm-file.ts'

const KEYS = ['addr:postcode', 'addr:city', 'addr:place', 'addr:country', 'boundary', 'postal_code']
/** Maximum number of ways whose first corners stand for a boundary of codes. */
const BOUNDARY_WAYS_MAX = 16

/** Extract of one country, which the option names. */
export const osm: Importer = {
  kind: 'osm',
  title: 'OpenStreetMap, addresses',
  country: '',
  licence: 'ODbL-1.0',
  attribution: '© OpenStreetMap contributors, openstreetmap.org/copyright',
  url: 'https://www.openstreetmap.org/copyright',
  completeness: 'partial',
  ending: '.osm.pbf',
  async read(path, country, take, onProgress) {
    const entryOf = addressReader()
    const labels: Entry[] = []
    const numbers = new Map<string, number>()
    const [members, corners] = [new Waiting(), new Waiting()]

    /** Returns the number of a code and name; -1 for none, or for another country. */
    const labelOf = ([code, city, place, addressCountry, boundary, boundaryCode]: Tags): number => {
      const written = code ?? (boundary === 'postal_code' ? boundaryCode : undefined)
      if (written === undefined) return -1
      // Some write a name instead of two letters.
      if (/^[a-z]{2}$/i.test(addressCountry ?? '') && addressCountry?.toUpperCase() !== country) return -1
      const name = city ?? place ?? ''
      return getOrMake(numbers, `${written}\t${name}`, () => {
        if (labels.length === SOURCE_GROUPS_MAX)
          throw new Error(
            `more than ${SOURCE_GROUPS_MAX} codes and names were found; expected those of one country`,
          )
        return labels.push(entryOf({ country, code: written, place: name, areas: [], ...NOWHERE })) - 1
      })
    }
    const locate = (label: number, lat: number, lon: number) =>
      take({ ...labels[label], ...positionOf(lat, lon) })
    const pass = (number: number, keys: readonly string[], visitor: Visitor) => {
      const step = `reading ${basename(path)}, ${number} of 3`
      readOsm(path, keys, visitor, (done, total) => onProgress(step, done, total))
    }

    pass(1, KEYS, {
      node(tags, lat, lon) {
        const label = labelOf(tags)
        if (label >= 0) locate(label, lat, lon)
      },
      way(_, tags, firstNode) {
        const label = labelOf(tags)
        if (label >= 0) corners.add(firstNode, label)
      },
      relation(tags, ways) {
        const label = labelOf(tags)
        if (label < 0) return
        // A building of several outlines counts once.
        const step = tags[0] === undefined ? Math.max(1, ways.length / BOUNDARY_WAYS_MAX) : ways.length
        for (let i = 0; i < ways.length; i += step) members.add(ways[Math.floor(i)], label)
      },
    })
    if (members.count > 0) {
      members.sort()
      pass(2, [], {
        way: (id, _, firstNode) => members.take(id, label => corners.add(firstNode, label)),
      })
    }
    corners.sort()
    pass(3, [], { point: (id, lat, lon) => corners.take(id, label => locate(label, lat, lon)) })
  },
}

const LABEL_BITS = 26
const IDS_PER_HIGH_WORD = 2 ** (32 - LABEL_BITS)
const ID_MAX = 2 ** 38

/**
 * Addresses that wait for the element with an id. Each takes 8 bytes: the id above the number of the address. The low
 * word comes first, as in every processor that Node.js runs on.
 */
class Waiting {
  count = 0
  #words = new Uint32Array(2048)
  #at = 0

  add(id: number, label: number): void {
    if (!(id > 0 && id < ID_MAX)) throw new Error(`the id ${id} was found; expected 1 to ${ID_MAX}`)
    if (this.count * 2 === this.#words.length) {
      const words = new Uint32Array(this.#words.length * 2)
      words.set(this.#words)
      this.#words = words
    }
    this.#words[this.count * 2] = (id % IDS_PER_HIGH_WORD) * 2 ** LABEL_BITS + label
    this.#words[this.count * 2 + 1] = Math.floor(id / IDS_PER_HIGH_WORD)
    this.count++
  }

  sort(): void {
    new BigUint64Array(this.#words.buffer, 0, this.count).sort()
  }

  /** Calls `use` for the addresses that wait for `id`. Ascending ids cost a step each. */
  take(id: number, use: (label: number) => void): void {
    if (this.#at > 0 && this.#idAt(this.#at - 1) >= id) this.#at = this.#firstOf(id)
    while (this.#at < this.count && this.#idAt(this.#at) < id) this.#at++
    for (; this.#at < this.count && this.#idAt(this.#at) === id; this.#at++)
      use(this.#words[this.#at * 2] % 2 ** LABEL_BITS)
  }

  #idAt(i: number): number {
    return this.#words[i * 2 + 1] * IDS_PER_HIGH_WORD + Math.floor(this.#words[i * 2] / 2 ** LABEL_BITS)
  }

  #firstOf(id: number): number {
    let [low, high] = [0, this.count]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#idAt(middle) < id) low = middle + 1
      else high = middle
    }
    return low
  }
}
