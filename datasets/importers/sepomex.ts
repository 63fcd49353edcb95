import type { Importer } from './importer.ts'

/** Mexico: every settlement with its code, municipality and state; no positions. The first line is a notice. */
export const sepomex: Importer = {
  kind: 'sepomex',
  title: 'Catálogo Nacional de Códigos Postales',
  country: 'MX',
  licence: 'free for use, not for sale; Correos de México',
  attribution: 'Correos de México (SEPOMEX), Catálogo Nacional de Códigos Postales',
  url: 'https://www.correosdemexico.gob.mx',
  completeness: 'full',
  format: {
    encoding: 'windows-1252',
    delimiter: '|',
    preamble: 1,
    columns: ['d_codigo', 'd_asenta', 'D_mnpio', 'd_estado', 'd_ciudad', 'c_mnpio'],
  },
  entry([code, place, municipality, state, city, number]) {
    if (!/^\d{5}$/.test(code)) return `the code ${JSON.stringify(code.slice(0, 20))}`
    const position = { lat: Number.NaN, lon: Number.NaN }
    return { code, place, name1: state, name2: municipality, code2: number, name3: city, ...position }
  },
}
