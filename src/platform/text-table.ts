/** Tables of a terminal. */
import Table from 'cli-table3'
import { bold } from './terminal.ts'

/** Fills the missing decimals of an amount with blanks, so that points align. */
const withPoint = (cell: string) =>
  /^[−$][\d,$]+\.\d+$/.test(cell) ? cell.padEnd(cell.indexOf('.') + 7) : cell

/** Returns a table without lines. A head that begins with `>` aligns its column to the right. */
export function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const none = ['top', 'bottom', 'mid', 'left', 'right'].flatMap(side => [
    [side, ''],
    [`${side}-mid`, ''],
    [`${side}-left`, ''],
    [`${side}-right`, ''],
  ])
  const grid = new Table({
    head: heads.map(head => bold(head.replace('>', ''))),
    colAligns: heads.map(head => (head.startsWith('>') ? 'right' : 'left')),
    chars: { ...Object.fromEntries(none), middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  })
  grid.push(...rows.map(row => row.map(cell => withPoint(String(cell)))))
  return grid.toString().replace(/ +$/gm, '')
}
