/** Groups addresses by code and names, so that memory grows with codes, not with addresses. */
import { SOURCE_GROUPS_MAX } from '../limits.ts'
import { getOrMake, increment, mostFrequent } from '../maps.ts'
import { MEASURED, row } from '../row.ts'
import type { Row } from '../source.ts'

/** Maximum number of names of one code of an imported source. Further ones are left out. */
const SOURCE_NAMES_PER_CODE_MAX = 1000

const NAMES = ['place', 'name1', 'code1', 'name2', 'code2', 'name3', 'code3'] as const
type Names = Readonly<Record<(typeof NAMES)[number], string>>

/** Line of a register, or an address. Unknown names are left out. */
export type Entry = Pick<Row, 'code' | 'place' | 'lat' | 'lon'> &
  Partial<Names> & {
    /** In files of several countries. */
    country?: string
  }

/**
 * One entry or several, null for a line to skip (withdrawn codes), or the fault. The code of an address is `''` if the
 * country's post writes none like it.
 */
export type Found = Entry | readonly Entry[] | string | null

/** Addresses with the same code and names in one cell. */
interface Group {
  names: Names
  /** Degree square of its positions, where squares are told apart. */
  cell: number
  count: number
  /** Number of positions; `lat` and `lon` are their mean. */
  placed: number
  lat: number
  lon: number
}

const ONE_CELL = -1
/** Rarer names of a code are slips of the pen. */
const NAME_SHARE_MIN = 0.03

/** Maximum number of faults that are kept. A build refuses the source long before. */
const FAULTS_MAX = 1000

export class Gathered {
  /** Number of lines or addresses. */
  lines = 0
  /** Faults of lines, the first ones. */
  readonly faults: string[] = []
  /** Addresses without a code of the post, or with one name too many for a code. */
  leftOut = 0
  /** True if many hands wrote the addresses. Far positions and rare names are slips then. */
  readonly #hasSlips: boolean
  readonly #countries = new Map<string, Map<string, Group[]>>()
  readonly #names = new Map<string, Names>()
  #size = 0

  constructor(hasSlips: boolean) {
    this.#hasSlips = hasSlips
  }

  get countries(): string[] {
    return [...this.#countries.keys()]
  }

  /** Takes a line of a file or an address. */
  take(file: string, country: string, found: Found): void {
    this.lines++
    if (typeof found === 'string') {
      if (this.faults.length < FAULTS_MAX) this.faults.push(`${file}: ${found}`)
    } else
      for (const entry of [found ?? []].flat())
        if (entry.code === '' && this.#hasSlips) this.leftOut++
        else this.#add(entry.country ?? country, entry)
  }

  /** @throws Error when there are too many groups */
  #add(country: string, entry: Entry): void {
    const { code, lat, lon } = entry
    const isPlaced = !Number.isNaN(lat)
    const cell = this.#hasSlips && isPlaced ? cellOf(lat, lon) : ONE_CELL
    const one = { count: 1, ...(isPlaced ? { placed: 1, lat, lon } : { placed: 0, lat: 0, lon: 0 }) }
    const codes = getOrMake(this.#countries, country, () => new Map<string, Group[]>())
    const groups = getOrMake(codes, code, (): Group[] => [])
    const same = groups.find(group => group.cell === cell && isSame(group.names, entry))
    if (same !== undefined) combine(same, one)
    else if (groups.length >= SOURCE_NAMES_PER_CODE_MAX) this.leftOut++
    else if (++this.#size > SOURCE_GROUPS_MAX)
      throw new Error(
        `more than ${SOURCE_GROUPS_MAX} postal codes and names were found; expected those of one country`,
      )
    else groups.push({ ...one, cell, names: this.#pooled(entry) })
  }

  /** Yields a row per code and name; with slips removed, the most frequent name first. */
  *rows(country: string): Iterable<Row> {
    for (const [code, groups] of this.#countries.get(country) ?? [])
      for (const { names, placed, lat, lon } of this.#hasSlips ? withoutSlips(groups) : groups) {
        const position = placed === 0 ? {} : { lat, lon, accuracy: MEASURED }
        yield row(country, code, names.place, { ...names, ...position })
      }
  }

  /** Returns shared names: a country has a thousand times as many codes as places. */
  #pooled(names: Partial<Names>): Names {
    const texts = NAMES.map(name => [name, names[name] ?? ''])
    return getOrMake(this.#names, texts.join('\t'), () => Object.fromEntries(texts) as Names)
  }
}

function isSame(one: Names, other: Partial<Names>): boolean {
  for (const name of NAMES) if (one[name] !== (other[name] ?? '')) return false
  return true
}

function combine(into: Group, { count, placed, lat, lon }: Omit<Group, 'cell' | 'names'>): void {
  into.count += count
  if (placed === 0) return
  into.placed += placed
  into.lat += ((lat - into.lat) * placed) / into.placed
  into.lon += ((lon - into.lon) * placed) / into.placed
}

function cellOf(lat: number, lon: number): number {
  return Math.floor(lat + 90) * 361 + Math.floor(lon + 180)
}

function isNear(one: number, other: number): boolean {
  const [rows, columns] = [Math.trunc(one / 361) - Math.trunc(other / 361), (one % 361) - (other % 361)]
  return Math.abs(rows) <= 1 && (Math.abs(columns) <= 1 || Math.abs(columns) >= 359)
}

/** Returns the places in or next to the fullest degree square, the most frequent first, without rare names. */
function withoutSlips(groups: readonly Group[]): Group[] {
  const placed = new Map<number, number>()
  for (const group of groups) if (group.placed > 0) increment(placed, group.cell, group.placed)
  const fullest = mostFrequent(placed) ?? ONE_CELL
  const places: Group[] = []
  for (const group of groups) {
    if (group.placed > 0 && !isNear(group.cell, fullest)) continue
    const same = places.find(place => isSame(place.names, group.names))
    if (same === undefined) places.push({ ...group })
    else combine(same, group)
  }
  places.sort((a, b) => b.count - a.count)
  const named = places.filter(({ names }) => names.place !== '')
  if (named.length === 0) return places.slice(0, 1)
  // An address without a name lies where most others do.
  for (const place of places) if (place.names.place === '') combine(named[0], place)
  const all = named.reduce((sum, { count }) => sum + count, 0)
  return named.filter(({ count }) => count >= all * NAME_SHARE_MIN)
}
