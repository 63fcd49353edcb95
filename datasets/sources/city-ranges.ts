/** Ranges that posts publish for cities of which other sources have no codes. */
import { row } from '../row.ts'
import type { Row, Source } from '../source.ts'

interface CityRange {
  readonly place: string
  readonly name1: string
  readonly code1: string
  readonly first: string
  readonly last: string
}

const RANGES: Readonly<Record<string, readonly CityRange[]>> = {
  // Correo Argentino
  AR: [
    {
      place: 'Buenos Aires',
      name1: 'Ciudad Autónoma de Buenos Aires',
      code1: 'C',
      first: '1000',
      last: '1499',
    },
  ],
  // Correios, Faixas de CEP: both cities have a second range
  BR: [
    { place: 'São Paulo', name1: 'São Paulo', code1: 'SP', first: '08000', last: '08499' },
    { place: 'Brasília', name1: 'Distrito Federal', code1: 'DF', first: '73000', last: '73699' },
  ],
}

export const cityRanges: Source = {
  id: 'city-ranges',
  title: 'Ranges of postal codes of cities',
  origin: 'published by the posts of Argentina and Brazil',
  licence: 'CC0-1.0',
  attribution: 'Correo Argentino, Correios',
  url: 'https://buscacepinter.correios.com.br/app/faixa_cep_uf_localidade/index.php',
  date: '',
  countries: Object.fromEntries(Object.keys(RANGES).map(country => [country, 'partial'])),
  addsCodes: Object.keys(RANGES),
  rows: country => (RANGES[country] ?? []).flatMap(range => rowsOf(country, range)),
}

function rowsOf(country: string, { first, last, place, name1, code1 }: CityRange): Row[] {
  const length = Number(last) - Number(first) + 1
  return Array.from({ length }, (_, i) => {
    const code = String(Number(first) + i).padStart(first.length, '0')
    return row(country, code, place, { name1, code1 })
  })
}
