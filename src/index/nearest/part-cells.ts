/** A grid of degrees over the parts of the roof: what is near a point is mostly in the cell around it, which is found without a search. */
import { DEGREE_SCALE } from '../../format/code-record.ts'
import type { NearRange } from './near-range.ts'

const NORTH_ZERO = 90
const EAST_ZERO = 180
const ROWS = 2 * NORTH_ZERO + 1
const COLUMNS = 2 * EAST_ZERO + 1

export class PartCells {
  /** The parts that reach into a cell are `members` from `starts[cell]` on, without `starts[cell + 1]`. */
  readonly starts = new Uint32Array(ROWS * COLUMNS + 1)
  readonly members: Uint16Array

  /** @param count parts @param sidesOf south, west, north and east of a part, in millionths of a degree */
  constructor(count: number, sidesOf: (part: number) => ArrayLike<number>) {
    const { starts } = this
    const eachCell = (visit: (cell: number, part: number) => void) => {
      for (let part = 0; part < count; part++) {
        const [south, west, north, east] = Array.from(sidesOf(part))
        for (let row = rowOf(south); row <= rowOf(north); row++)
          for (let column = columnOf(west); column <= columnOf(east); column++)
            visit(row * COLUMNS + column, part)
      }
    }
    eachCell(cell => {
      starts[cell + 1]++
    })
    for (let cell = 1; cell < starts.length; cell++) starts[cell] += starts[cell - 1]
    this.members = new Uint16Array(starts[starts.length - 1])
    const ends = starts.slice()
    eachCell((cell, part) => {
      this.members[ends[cell]++] = part
    })
  }

  /** The cell of a point. */
  cellOf({ north, east }: NearRange): number {
    return rowOf(north) * COLUMNS + columnOf(east)
  }

  /** Whether all of a range lies in the cell of its point, so that parts which are not there cannot reach into it. */
  holds({ north, east, up, along, isPlain }: NearRange): boolean {
    if (!isPlain) return false
    const row = rowOf(north)
    const column = columnOf(east)
    return (
      rowOf(north - up) === row &&
      rowOf(north + up) === row &&
      columnOf(east - along) === column &&
      columnOf(east + along) === column
    )
  }
}

function rowOf(north: number): number {
  return Math.floor(north / DEGREE_SCALE) + NORTH_ZERO
}

function columnOf(east: number): number {
  return Math.floor(east / DEGREE_SCALE) + EAST_ZERO
}
