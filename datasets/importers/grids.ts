/** Converts national grids to WGS84. Seven parameters from EPSG are exact to one to five metres. */
import proj4 from 'proj4'
import { memoised } from '../maps.ts'
import { decimalOf, NOWHERE } from '../row.ts'

const GRIDS = {
  /** EPSG:2056, Switzerland. */
  LV95:
    '+proj=somerc +lat_0=46.9524055555556 +lon_0=7.43958333333333 +k_0=1 +x_0=2600000 +y_0=1200000 +ellps=bessel ' +
    '+towgs84=674.374,15.056,405.346,0,0,0,0 +units=m',
  /** EPSG:28992, the Netherlands. */
  RD:
    '+proj=sterea +lat_0=52.1561605555556 +lon_0=5.38763888888889 +k=0.9999079 +x_0=155000 +y_0=463000 +ellps=bessel ' +
    '+towgs84=565.4171,50.3319,465.5524,-0.398957,0.343988,-1.8774,4.0725 +units=m',
  /** EPSG:5514, Czechia, with both axes turned to east and north. */
  SJTSK:
    '+proj=krovak +lat_0=49.5 +lon_0=24.8333333333333 +alpha=30.2881397527778 +k=0.9999 +x_0=0 +y_0=0 +ellps=bessel ' +
    '+towgs84=570.8,85.7,462.8,4.998,1.587,5.261,3.56 +units=m',
} as const
export type Grid = keyof typeof GRIDS

const converterOf = memoised((grid: Grid) => proj4(GRIDS[grid], 'WGS84'))

/** Converts metres to degrees; NaN for text that is no number. Costs about a microsecond. */
export function fromGrid(grid: Grid, east: string, north: string): { lat: number; lon: number } {
  const [x, y] = [decimalOf(east), decimalOf(north)]
  if (Number.isNaN(x + y)) return NOWHERE
  const [lon, lat] = converterOf(grid).forward([x, y])
  return { lat, lon }
}
