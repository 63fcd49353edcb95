import { fromGrid } from './grids.ts'
import type { Importer } from './importer.ts'

/** The Netherlands: every address with its full code, as the CSV extract of NLExtract has the national register. */
export const bag: Importer = {
  kind: 'bag',
  title: 'Basisregistratie Adressen en Gebouwen',
  country: 'NL',
  licence: 'CC0-1.0',
  attribution: 'Kadaster, Basisregistratie Adressen en Gebouwen',
  url: 'https://www.kadaster.nl',
  completeness: 'full',
  format: {
    encoding: 'utf-8',
    delimiter: ';',
    columns: ['postcode', 'woonplaats', 'gemeente', 'provincie', 'x', 'y'],
  },
  entry([code, place, municipality, province, x, y]) {
    // New buildings wait for their code.
    if (code === '') return null
    const [lat, lon] = fromGrid('RD', x, y)
    return { code, place, name1: province, name2: municipality, lat, lon }
  },
}
