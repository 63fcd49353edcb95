import { fromGrid } from './grids.ts'
import type { Importer } from './importer.ts'

/** Czechia: every address of RÚIAN, on the grid S-JTSK, one file for each municipality; join them first. */
export const ruian: Importer = {
  kind: 'ruian',
  title: 'RÚIAN, addresses',
  country: 'CZ',
  licence: 'CC-BY-4.0',
  attribution: 'ČÚZK, RÚIAN',
  url: 'https://nahlizenidokn.cuzk.cz/StahniAdresniMistaRUIAN.aspx',
  completeness: 'full',
  format: {
    encoding: 'windows-1250',
    delimiter: ';',
    columns: ['PSČ', 'Kód obce', 'Název obce', 'Název části obce', 'Souřadnice Y', 'Souřadnice X'],
  },
  entry([code, number, municipality, part, y, x]) {
    // Files that were joined have a header each.
    if (code === '' || code === 'PSČ') return null
    // The register counts both axes to the south and the west.
    const [lat, lon] = fromGrid('SJTSK', minus(y), minus(x))
    return { code, place: part === '' ? municipality : part, name3: municipality, code3: number, lat, lon }
  },
}

function minus(text: string): string {
  return text === '' ? '' : `-${text}`
}
