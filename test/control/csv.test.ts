import t from 'tap'
import { csvHead, csvRows } from '../../src/control/reports/csv.ts'

/** A file whose rows are lists. */
function csv(names: string[], rows: (string | number | null)[][]): string {
  const columns = Object.fromEntries(
    names.map((name, at) => [name, (row: (typeof rows)[number]) => row[at] ?? null]),
  )
  return csvHead(columns) + csvRows(columns, rows)
}

t.test('fields with commas, quotes and line breaks are quoted', async t => {
  const rows = [
    ['x,y', 'he said "no"'],
    ['two\nlines', null],
  ]
  t.equal(csv(['a', 'b'], rows), 'a,b\r\n"x,y","he said ""no"""\r\n"two\nlines",\r\n')
})

t.test('text that a spreadsheet would run is defused, numbers are not touched', async t => {
  t.equal(
    csv(['v'], [['=1+1'], ['@x'], ['-2+3'], ['-2.50'], [-2]]),
    "v\r\n'=1+1\r\n'@x\r\n'-2+3\r\n-2.50\r\n-2\r\n",
  )
})
