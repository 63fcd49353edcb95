/** How a command speaks: one JSON document with `--json`, else words and plain tables. */
import { styleText } from 'node:util'
import Table from 'cli-table3'

// Asked here, since `styleText` of Node.js 20 does not ask by itself.
const coloured = process.stdout.isTTY === true && process.env.NO_COLOR === undefined

export const bold = (text: string): string => (coloured ? styleText('bold', text) : text)
export const dim = (text: string): string => (coloured ? styleText('dim', text) : text)

/** Prints `value` as JSON when asked for, else what `words` makes of it. */
export function print<T>(json: boolean | undefined, value: T, words: (value: T) => string): void {
  process.stdout.write(`${json === true ? JSON.stringify(value) : words(value)}\n`)
}

/** A table without lines; columns whose head begins with `>` are aligned to the right. */
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
  grid.push(...rows.map(row => row.map(String)))
  return grid.toString().replace(/ +$/gm, '')
}

/** `$5.00`, `$0.028`, `$4.999972`: at least two decimals, never a rounded one. */
export function money(dollars: number): string {
  const [whole, fraction = ''] = dollars.toFixed(6).split('.')
  return `$${whole}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`
}

/** An ISO time as `2026-11-21 10:11:06` in UTC, or a dash for none. */
export function time(iso: string | null): string {
  return iso === null ? '-' : iso.slice(0, 19).replace('T', ' ')
}
