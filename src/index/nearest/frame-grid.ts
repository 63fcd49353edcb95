/** A grid over the world: which frames reach into each cell, so that a search need not compare its point with all of them. */
import type { Frame } from '../../format/near-tree.ts'

/** Side of a cell, in millionths of a degree. */
const CELL = 10_000_000
const NORTH_ZERO = 90_000_000
const EAST_ZERO = 180_000_000
const ROWS = 2 * (NORTH_ZERO / CELL) + 1
const COLUMNS = 2 * (EAST_ZERO / CELL) + 1

export class FrameGrid {
  /** Numbers of frames, ascending, by cell. */
  readonly #cells: readonly Uint16Array[]

  /** @param frames those whose south is above their north are nowhere */
  constructor(frames: readonly Frame[]) {
    const cells = Array.from({ length: ROWS * COLUMNS }, (): number[] => [])
    frames.forEach(({ south, west, north, east }, number) => {
      if (south > north) return
      for (let row = rowOf(south); row <= rowOf(north); row++)
        for (let column = columnOf(west); column <= columnOf(east); column++)
          cells[row * COLUMNS + column].push(number)
    })
    this.#cells = cells.map(numbers => Uint16Array.from(numbers))
  }

  /** The frames that reach into the cell of a point. */
  around(north: number, east: number): Uint16Array {
    return this.#cells[rowOf(north) * COLUMNS + columnOf(east)]
  }

  /** Whether all that is at most `up` and `along` from a point lies in its cell, so that no other frame can reach there. */
  isOneCell({ north, east, up, along }: { north: number; east: number; up: number; along: number }): boolean {
    const [row, column] = [rowOf(north), columnOf(east)]
    return (
      rowOf(north - up) === row &&
      rowOf(north + up) === row &&
      columnOf(east - along) === column &&
      columnOf(east + along) === column
    )
  }
}

function rowOf(north: number): number {
  return Math.floor((north + NORTH_ZERO) / CELL)
}

function columnOf(east: number): number {
  return Math.floor((east + EAST_ZERO) / CELL)
}
