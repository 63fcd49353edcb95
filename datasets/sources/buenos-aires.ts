/** Codes of the city of Buenos Aires, which other sources lack. Correo Argentino publishes their range. */
import { row } from '../row.ts'
import type { Source } from '../source.ts'

const FIRST = 1000
const LAST = 1499
const CITY = { name1: 'Ciudad Autónoma de Buenos Aires', code1: 'C' }

export const buenosAires: Source = {
  id: 'buenos-aires',
  title: 'Postal codes of the city of Buenos Aires',
  origin: 'published by Correo Argentino',
  licence: 'CC0-1.0',
  attribution: 'Correo Argentino',
  url: 'https://www.correoargentino.com.ar/formularios/cpa',
  date: '',
  countries: { AR: 'partial' },
  addsCodes: ['AR'],
  *rows() {
    for (let code = FIRST; code <= LAST; code++) yield row('AR', String(code), 'Buenos Aires', CITY)
  },
}
