import { loadPackage, packageOrigin } from '../package-files.ts'
import type { Credit } from '../source.ts'

export const tzLookup: Credit = {
  id: 'tz-lookup',
  title: 'Time zones by position',
  origin: packageOrigin('@photostructure/tz-lookup'),
  licence: 'CC0-1.0',
  attribution: 'PhotoStructure tz-lookup; boundaries of Timezone Boundary Builder',
  url: 'https://github.com/photostructure/tz-lookup',
  date: '',
}

let lookup: ((lat: number, lon: number) => string) | undefined

/** Returns the IANA time zone at a position. Borders are a few hundred metres off. Costs under a microsecond. */
export function timeZoneAt(lat: number, lon: number): string {
  lookup ??= loadPackage<(lat: number, lon: number) => string>('@photostructure/tz-lookup', 'tz.js')
  return currentZone(lookup(lat, lon))
}

/** Renamed zones of the IANA database. */
const RENAMED: Readonly<Record<string, string>> = {
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Fort_Wayne': 'America/Indiana/Indianapolis',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Montreal': 'America/Toronto',
  'America/Nipigon': 'America/Toronto',
  'America/Pangnirtung': 'America/Iqaluit',
  'America/Rainy_River': 'America/Winnipeg',
  'America/Shiprock': 'America/Denver',
  'America/Thunder_Bay': 'America/Toronto',
  'America/Yellowknife': 'America/Edmonton',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Choibalsan': 'Asia/Ulaanbaatar',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Asia/Ulan_Bator': 'Asia/Ulaanbaatar',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Europe/Uzhgorod': 'Europe/Kyiv',
  'Europe/Zaporozhye': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}

/** Returns today's name of `zone`; `''` for `''`. */
export function currentZone(zone: string): string {
  return RENAMED[zone] ?? zone
}
