import { fromGrid } from './grids.ts'
import type { Importer } from './importer.ts'

/** Great Britain without Northern Ireland; no names, positions on the National Grid. Its files have no header. */
export const codePointOpen: Importer = {
  kind: 'code-point-open',
  title: 'Code-Point Open',
  country: 'GB',
  licence: 'OGL-UK-3.0',
  attribution:
    'Contains OS data © Crown copyright and database right; contains Royal Mail data © Royal Mail copyright and database right',
  url: 'https://osdatahub.os.uk',
  completeness: 'full',
  format: {
    encoding: 'utf-8',
    delimiter: ',',
    hasHeader: false,
    columns: [
      ...['postcode', 'quality', 'eastings', 'northings', 'country', 'region', 'health authority'],
      ...['county', 'district', 'ward'],
    ],
  },
  entry([code, quality, east, north, , , , , district]) {
    if (!/^[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$/.test(code))
      return `the postcode ${JSON.stringify(code.slice(0, 20))}`
    // 90: no position is known; the grid's origin stands for it.
    const [lat, lon] = quality === '90' ? [Number.NaN, Number.NaN] : fromGrid('OSGB36', east, north)
    return { code, place: '', code2: district, lat, lon }
  },
}
