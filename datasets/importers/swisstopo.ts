import { fromGrid } from './grids.ts'
import type { Importer } from './importer.ts'

/** Switzerland and Liechtenstein: localities with their codes and cantons, on the grid LV95. */
export const swisstopo: Importer = {
  kind: 'swisstopo',
  title: 'Official index of localities',
  country: 'CH',
  licence: 'swisstopo OGD',
  attribution: '© swisstopo',
  url: 'https://www.swisstopo.admin.ch/en/official-directory-of-towns-and-cities',
  completeness: 'full',
  format: {
    encoding: 'utf-8',
    delimiter: ';',
    columns: ['Ortschaftsname', 'PLZ', 'Gemeindename', 'BFS-Nr', 'Kantonskürzel', 'E', 'N'],
  },
  entry([place, code, municipality, number, canton, east, north]) {
    const [lat, lon] = fromGrid('LV95', east, north)
    return { code, place, code1: canton, name3: municipality, code3: number, lat, lon }
  },
}
