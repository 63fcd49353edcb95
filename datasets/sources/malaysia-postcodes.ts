import { loadPackage, packageSource } from '../package-files.ts'
import { row } from '../row.ts'

interface State {
  name: string
  city: { name: string; postcode: string[] }[]
}

/** Malaysia: 2,929 codes by town and state, without positions. */
export const malaysiaPostcodes = packageSource('malaysia-postcodes', {
  title: 'Postcodes of Malaysia',
  licence: 'ISC',
  attribution: 'malaysia-postcodes, copyright (c) 2020-2025 Asyraf Hussin',
  url: 'https://github.com/AsyrafHussin/npm-malaysia-postcodes',
  countries: { MY: 'full' },
  addsCodes: ['MY'],
  *rows() {
    const { allPostcodes } = loadPackage<{ allPostcodes: State[] }>('malaysia-postcodes', 'dist/index.cjs')
    // `Wp` is Wilayah Persekutuan, a federal territory, which nobody writes before `Kuala Lumpur`.
    for (const state of allPostcodes)
      for (const city of state.city)
        for (const code of city.postcode)
          yield row('MY', code, city.name, { name1: state.name.replace(/^Wp /, '') })
  },
})
