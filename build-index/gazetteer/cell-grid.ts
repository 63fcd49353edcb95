/** Points in squares of a tenth of a degree. */
import { addTo } from '../../datasets/maps.ts'
import { kmBetweenDegrees, type Point } from '../distance.ts'

const CELLS_PER_DEGREE = 10
const CELLS_AROUND = 360 * CELLS_PER_DEGREE
const KM_PER_CELL = 11.1
/** Rounded down, so that no point is passed over. */
const KM_PER_DEGREE = 111

export class CellGrid<T extends Point> {
  readonly #cells = new Map<number, T[]>()

  constructor(points: Iterable<T>) {
    for (const point of points) {
      const cell = cellOf(rowOf(point.lat), columnOf(point.lon))
      addTo(this.#cells, cell, point)
    }
  }

  /** Returns the nearest point within `maxKm` of a position, or null. */
  nearest(lat: number, lon: number, maxKm: number): T | null {
    const row = rowOf(lat)
    const column = columnOf(lon)
    const rows = Math.ceil(maxKm / KM_PER_CELL)
    // Columns are narrower away from the equator. Nobody lives near a pole, where they are too many.
    const columns = Math.ceil(rows / Math.max(0.1, Math.cos((lat * Math.PI) / 180)))
    let best: T | null = null
    let bestKm = maxKm
    // Searches rings around the own cell until none further out can have a nearer point.
    const kmPerRing = (KM_PER_CELL * rows) / Math.max(rows, columns)
    const northernmost = Math.min(90, Math.abs(lat) + maxKm / KM_PER_DEGREE)
    const kmPerDegreeOfLon = KM_PER_DEGREE * Math.cos((northernmost * Math.PI) / 180)
    for (let ring = 0; ring <= columns; ring++) {
      if (best !== null && (ring - 1) * kmPerRing > bestKm) break
      const bottom = Math.min(rows, ring)
      for (let y = -bottom; y <= bottom; y++) {
        if (degreesTo(row + y, lat + 90) * KM_PER_DEGREE > bestKm) continue
        const isEdge = Math.abs(y) === ring
        for (let x = -ring; x <= ring; x += isEdge || ring === 0 ? 1 : 2 * ring) {
          if (degreesTo(column + x, lon + 180) * kmPerDegreeOfLon > bestKm) continue
          const points = this.#cells.get(cellOf(row + y, column + x))
          if (points === undefined) continue
          for (const point of points) {
            // Latitude alone excludes most points, without a cosine.
            if (Math.abs(point.lat - lat) * KM_PER_DEGREE > bestKm) continue
            const km = kmBetweenDegrees(lat, lon, point.lat, point.lon)
            if (km <= bestKm && (best === null || km < bestKm)) {
              best = point
              bestKm = km
            }
          }
        }
      }
    }
    return best
  }

  /** Yields every point within `km` of a position, in no particular order. */
  *within(lat: number, lon: number, km: number): Iterable<T> {
    const rows = Math.ceil(km / KM_PER_CELL)
    const columns = Math.ceil(rows / Math.max(0.1, Math.cos((lat * Math.PI) / 180)))
    for (let y = -rows; y <= rows; y++)
      for (let x = -columns; x <= columns; x++)
        for (const point of this.#cells.get(cellOf(rowOf(lat) + y, columnOf(lon) + x)) ?? [])
          if (kmBetweenDegrees(lat, lon, point.lat, point.lon) <= km) yield point
  }
}

function rowOf(lat: number): number {
  return Math.floor((lat + 90) * CELLS_PER_DEGREE)
}

function columnOf(lon: number): number {
  return Math.floor((lon + 180) * CELLS_PER_DEGREE)
}

/** Returns the degrees to a row or a column, 0 inside it. */
function degreesTo(cell: number, degrees: number): number {
  return Math.max(0, cell / CELLS_PER_DEGREE - degrees, degrees - (cell + 1) / CELLS_PER_DEGREE)
}

function cellOf(row: number, column: number): number {
  return row * CELLS_AROUND + ((column + CELLS_AROUND) % CELLS_AROUND)
}
