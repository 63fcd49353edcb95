/** The level-1 areas of a country, gathered before the first request that asks for them where a thread serves the index. */
import { ADMIN_WORDS } from '../../format/admin-entry.ts'
import { cityKey } from '../../text/city.ts'
import { placeAdmin } from '../codes/code-view.ts'
import type { Country } from '../country.ts'
import { countrySlot } from '../country-table.ts'
import type { PostalIndex } from '../postal-index.ts'
import { plainText } from '../text-section.ts'

/** Keys of their names and plain codes. */
export interface States {
  readonly names: ReadonlySet<string>
  readonly codes: ReadonlySet<string>
}

/** Places, and then texts, that are read without a pause: some tenths of a millisecond. */
const SLICE_PLACES = 4096
const SLICE_TEXTS = 64
/** The country whose cities are asked for with their states. */
const US = countrySlot('U'.charCodeAt(0), 'S'.charCodeAt(0))

const known = new WeakMap<Country, States>()

/** The level-1 areas of `country`: a millisecond for 40,000 places, and three in a process that has done nothing yet, once. */
export function statesOf(index: PostalIndex, country: Country): States {
  const found = known.get(country)
  if (found !== undefined) return found
  const gathering = gather(index, country)
  for (;;) {
    const { done, value } = gathering.next()
    if (done === true) return value
  }
}

/** Gathers what the first city search of the US needs, in slices with a `pause` after each, in which the thread does other work. */
export async function prepareStates(index: PostalIndex, pause: () => Promise<unknown>): Promise<void> {
  const country = index.countries.at(US)
  if (country === undefined || country === null || known.has(country)) return
  const gathering = gather(index, country)
  while (gathering.next().done !== true) await pause()
}

/** Most places are in the same area as another one, and the text of each area is read once. */
function* gather(index: PostalIndex, country: Country): Generator<void, States> {
  const { text, admins } = index
  const [nameOffsets, codeOffsets] = [new Set<number>(), new Set<number>()]
  const { placeStart, placeCount } = country.meta
  const isSeen = new Uint8Array(admins.length / ADMIN_WORDS)
  for (let place = placeStart; place < placeStart + placeCount; place++) {
    if ((place - placeStart) % SLICE_PLACES === SLICE_PLACES - 1) yield
    const admin = placeAdmin(index, place)
    if (isSeen[admin] === 1) continue
    isSeen[admin] = 1
    const at = admin * ADMIN_WORDS
    nameOffsets.add(admins[at])
    codeOffsets.add(admins[at + 1])
  }
  yield
  const names = yield* keysOf(nameOffsets, at => cityKey(plainText(text, at)))
  const codes = yield* keysOf(codeOffsets, at => plainCode(plainText(text, at)))
  const states = { names, codes }
  known.set(country, states)
  return states
}

function* keysOf(offsets: Iterable<number>, keyOf: (offset: number) => string): Generator<void, Set<string>> {
  const keys = new Set<string>()
  let texts = 0
  for (const offset of offsets) {
    if (++texts % SLICE_TEXTS === 0) yield
    keys.add(keyOf(offset))
  }
  return keys
}

/** A code as it is compared: without case, spaces, hyphens and dots. */
export function plainCode(code: string): string {
  return code.toUpperCase().replace(/[\s.-]/g, '')
}
