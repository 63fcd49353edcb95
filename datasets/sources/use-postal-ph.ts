import { loadPackage, packageSource } from '../package-files.ts'
import { row } from '../row.ts'

interface Entry {
  municipality: string
  location: string
  region: string
  post_code: number | string
}

type Fetch = () => { fetchDataLists(): { data: Entry[] } }

/** The Philippines: codes by municipality, province and region, without positions. */
export const usePostalPh = packageSource('use-postal-ph', {
  title: 'Postal codes of the Philippines',
  licence: 'MIT',
  attribution: 'use-postal-ph, copyright (c) its authors; data of PHLPost',
  url: 'https://github.com/blckclov3r/use-postal-ph',
  countries: { PH: 'full' },
  addsCodes: ['PH'],
  *rows() {
    const fetch = loadPackage<Fetch>('use-postal-ph', 'dist/index.js')
    for (const { municipality, location, region, post_code } of fetch().fetchDataLists().data)
      yield row('PH', String(post_code).padStart(4, '0'), municipality, { name1: region, name2: location })
  },
})
