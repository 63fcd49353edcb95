/** Files of comma-separated values by RFC 4180. */
import { Readable } from 'node:stream'
import type { Context } from 'hono'
import { utcDay } from '../words.ts'

export type FileColumns<Row> = Readonly<Record<string, (row: Row) => string | number | null>>

export function named<K extends string>(
  ...names: K[]
): FileColumns<Readonly<Record<K, string | number | null>>> {
  return Object.fromEntries(names.map(name => [name, row => row[name]]))
}

export const csvHead = <Row>(columns: FileColumns<Row>): string => line(Object.keys(columns))

export function csvRows<Row>(columns: FileColumns<Row>, rows: readonly Row[]): string {
  const values = Object.values(columns)
  return rows.map(row => line(values.map(value => value(row)))).join('')
}

type Pages<Row> = Iterable<readonly Row[]> | AsyncIterable<readonly Row[]>

export function csvFile<Row>(c: Context, name: string, columns: FileColumns<Row>, pages: Pages<Row>) {
  const stream = Readable.toWeb(Readable.from(chunksOf(columns, pages), { objectMode: false }))
  const day = utcDay(Date.now())
  return c.body(stream as ReadableStream, 200, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="postrie-${name}-${day}.csv"`,
  })
}

async function* chunksOf<Row>(columns: FileColumns<Row>, pages: Pages<Row>): AsyncGenerator<Buffer> {
  yield Buffer.from(csvHead(columns))
  for await (const rows of pages) if (rows.length > 0) yield Buffer.from(csvRows(columns, rows))
}

const line = (values: readonly (string | number | null)[]): string => `${values.map(field).join(',')}\r\n`

/** Puts an apostrophe before a text that a spreadsheet would run as a formula: customers choose labels. */
function field(value: string | number | null): string {
  const text = String(value ?? '')
  if (/^-?\d+(\.\d+)?$/.test(text)) return text
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
