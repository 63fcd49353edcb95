/** Step 6: positions of codes whose sources have none. */
import type { City } from '../../datasets/reference/cities-500.ts'
import { cityKey } from '../../src/text/city.ts'
import type { AdminModel } from '../model.ts'
import type { CodeDraft } from '../rows/drafts.ts'
import type { Gazetteer, Hint } from './gazetteer.ts'

/** GeoNames' scale: 4 is the position of the place that a gazetteer number names, 1 an estimate. */
const ACCURACY_PLACE = 4
const ACCURACY_ESTIMATED = 1

export interface PositionCounts {
  place: number
  municipality: number
  neighbours: number
  region: number
}

/**
 * Gives each code without a position that of its primary place in the gazetteer, else of the main place of its
 * municipality, else the middle of the other codes of its smallest known area, else the main place of its region.
 * Codes that still have none keep NaN.
 */
export function fillPositions(codes: Iterable<CodeDraft>, gazetteer: Gazetteer): PositionCounts {
  const counts = { place: 0, municipality: 0, neighbours: 0, region: 0 }
  const missing: CodeDraft[] = []
  const middles = new Map<AdminModel, Middle>()
  for (const code of codes) {
    const { city, admin } = code.places[0]
    if (Number.isNaN(code.lat)) {
      const main = city ?? mainPlace(gazetteer, [admin.code3, admin.code2], [admin.name3, admin.name2])
      if (main === null) {
        missing.push(code)
        continue
      }
      code.setPosition(main.lat, main.lon, city ? ACCURACY_PLACE : ACCURACY_ESTIMATED)
      counts[city ? 'place' : 'municipality']++
    }
    const middle = middles.get(admin) ?? { lat: 0, lon: 0, codes: 0 }
    addTo(middle, code)
    middles.set(admin, middle)
  }
  for (const code of missing) {
    const { admin } = code.places[0]
    const middle = admin.name2 === '' && admin.code2 === '' ? undefined : middles.get(admin)
    const at = middle ?? mainPlace(gazetteer, [], [admin.name1])
    if (at === null) continue
    code.setPosition(at.lat, at.lon, ACCURACY_ESTIMATED)
    counts[middle === undefined ? 'region' : 'neighbours']++
  }
  return counts
}

interface Middle {
  lat: number
  lon: number
  codes: number
}

function addTo(middle: Middle, { lat, lon }: CodeDraft): void {
  middle.codes++
  middle.lat += (lat - middle.lat) / middle.codes
  middle.lon += (lon - middle.lon) / middle.codes
}

/** The largest place of the first area that the gazetteer knows by number, or by a name that is also a city's. */
function mainPlace(gazetteer: Gazetteer, codes: string[], names: string[]): City | null {
  let main = gazetteer.numbered(codes)
  for (const name of names)
    if (main === null && name !== '')
      main =
        gazetteer.find(cityKey(name), NO_HINT) ?? gazetteer.find(cityKey(name.replace(/ City$/, '')), NO_HINT)
  return main
}

const NO_HINT: Hint = { lat: Number.NaN, lon: Number.NaN, admin1: '', codes: [] }
