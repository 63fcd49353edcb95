import { loadPackage, packageCredit } from '../package-files.ts'

export const tzLookup = packageCredit('@photostructure/tz-lookup', {
  id: 'tz-lookup',
  title: 'Time zones by position',
  licence: 'CC0-1.0',
  attribution: 'PhotoStructure tz-lookup; boundaries of Timezone Boundary Builder',
  url: 'https://github.com/photostructure/tz-lookup',
})

let lookup: ((lat: number, lon: number) => string) | undefined

/** Returns the IANA time zone at a position. Borders are a few hundred metres off. Costs under a microsecond. */
export function timeZoneAt(lat: number, lon: number): string {
  lookup ??= loadPackage<(lat: number, lon: number) => string>('@photostructure/tz-lookup', 'tz.js')
  return currentZone(lookup(lat, lon))
}

/** Renamed zones of the IANA database that a source here still has. */
const RENAMED: Readonly<Record<string, string>> = {
  'America/Godthab': 'America/Nuuk',
  'America/Nipigon': 'America/Toronto',
  'America/Pangnirtung': 'America/Iqaluit',
  'America/Shiprock': 'America/Denver',
  'America/Thunder_Bay': 'America/Toronto',
  'America/Yellowknife': 'America/Edmonton',
  'Asia/Choibalsan': 'Asia/Ulaanbaatar',
  'Europe/Kiev': 'Europe/Kyiv',
  'Europe/Uzhgorod': 'Europe/Kyiv',
  'Europe/Zaporozhye': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
}

/** Returns today's name of `zone`; `''` for `''`. */
export function currentZone(zone: string): string {
  return RENAMED[zone] ?? zone
}

/**
 * Zones where the gazetteer is out of date: it lacks the zone of Aysén and the smaller zones of Yakutia, and draws the
 * others as before the Mexican law of 2022.
 */
const NEWER = /Ciudad_Juarez|Coyhaique|Khandyga|Matamoros|Ojinaga|Srednekolymsk|Ust-Nera/

/** Returns the zone of the map at a place of the gazetteer, if it is a newer one. */
export function newerZoneAt({ lat, lon }: { lat: number; lon: number }): string | undefined {
  const onMap = timeZoneAt(lat, lon)
  return NEWER.test(onMap) ? onMap : undefined
}
