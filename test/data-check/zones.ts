import { fileURLToPath } from 'node:url'
import { installPackages, loadPackage } from '../../bench/packages.ts'
import { membersOf } from '../../build-index/rows/postal-unions.ts'
import { getOrMake } from '../../datasets/maps.ts'
import { citiesOf } from '../../datasets/reference/cities-500.ts'
import { counting } from './check.ts'
import type { CheckedCountry } from './codes.ts'
import { MILITARY } from './positions.ts'

/** Newer names of zones by the older name in the gazetteer. */
const RENAMED: Readonly<Record<string, string>> = { 'Europe/Kiev': 'Europe/Kyiv' }
/** Zones of islands that have no place in the gazetteer. */
const OF_ISLANDS = ['AU Australia/Lord_Howe', 'BR America/Noronha', 'US America/Adak']

const FOLDER = fileURLToPath(new URL('../../../test/data-check/', import.meta.url))
installPackages(FOLDER)
const { find } = loadPackage<{ find(lat: number, lon: number): string[] }>('geo-tz/all', FOLDER)

/** UTC offsets in January and July, by zone. */
const offsets = new Map<string, string>()

function hoursOf(zone: string): string {
  return getOrMake(offsets, zone, () => {
    const name = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
    return [0, 6].map(month => name.format(new Date(Date.UTC(2026, month, 15))).split(', ')[1]).join(' ')
  })
}

/** Returns the zones of the map at a position. Keeps only offsets that the country uses. */
function zonesAt(lat: number, lon: number, own: ReadonlySet<string>): string[] {
  const ownHours = new Set([...own].map(hoursOf))
  return find(lat, lon).filter(zone => ownHours.has(hoursOf(zone)))
}

function ownZones({ cc, cities }: CheckedCountry): Set<string> {
  const all = [...cities, ...membersOf(cc).flatMap(citiesOf)]
  const islands = OF_ISLANDS.filter(text => text.startsWith(cc)).map(text => text.slice(3))
  return new Set([...islands, ...all.map(({ timezone }) => RENAMED[timezone] ?? timezone)])
}

/** Finds zones whose offset differs from the map. Skips positions that the map places abroad. */
export const wrongHour = counting('time zone of another hour than its position', (country, count) => {
  const own = ownZones(country)
  const known = new Map<string, string[]>()
  for (const { key, city, lat, lon, timezone } of country.placed) {
    if (timezone === '') continue
    const spot = `${lat.toFixed(3)},${lon.toFixed(3)}`
    const zones = getOrMake(known, spot, () => zonesAt(lat, lon, own))
    if (zones.length === 0) continue
    const isRight = zones.some(zone => hoursOf(zone) === hoursOf(timezone))
    count.add(!isRight, () => `${key} ${city} has ${timezone}, ${zones.join(' or ')} at ${spot}`)
  }
})

/** Finds zones that no place of the country uses. */
export const foreignZone = counting('time zone of another country', (country, count) => {
  const own = ownZones(country)
  if (own.size === 0) return
  for (const { key, city, timezone, code1 } of country.codes)
    if (timezone !== '' && !(country.cc === 'US' && MILITARY.test(code1)))
      count.add(!own.has(timezone), () => `${key} ${city} has ${timezone}`)
})
