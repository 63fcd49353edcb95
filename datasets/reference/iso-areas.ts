import { iso31662 } from 'iso-3166'
import { packageCredit } from '../package-files.ts'
import type { IsoArea } from '../source.ts'
import { japanesePrefectures } from './japanese-cities.ts'

export const iso3166 = packageCredit('iso-3166', {
  title: 'Areas of ISO 3166-2',
  licence: 'MIT',
  attribution: 'iso-3166, copyright (c) Titus Wormer',
  url: 'https://github.com/wooorm/iso-3166',
})

/** Returns the areas of ISO 3166-2, those directly under the country first: some sources begin with provinces. */
export function isoAreas(country: string): IsoArea[] {
  const own = iso31662.filter(({ code }) => code.startsWith(`${country}-`))
  const topLevel = own.filter(({ parent }) => parent === country)
  return [...new Set([...topLevel, ...own])].map(({ code, name }) => ({ code: code.slice(3), names: [name] }))
}

/** Returns the code of the level-1 area that has the area `code`: `PV` for `SS` in ES. */
export function level1Of(country: string, code: string): string {
  const parent = iso31662.find(area => area.code === `${country}-${code}`)?.parent ?? country
  return parent === country ? code : parent.slice(3)
}

/** Returns the prefectures with their names in kanji, with and without kind. */
export function japaneseIsoAreas(): IsoArea[] {
  return [...japanesePrefectures()].map(([kanji, { code, name }]) => ({
    code,
    names: [name, kanji, kanji.replace(/[都府県]$/, '')],
  }))
}
