/** Reads text tables line by line: registers have gigabytes, and a hostile one may be a single line. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { TextDecoder } from 'node:util'
import { createGunzip } from 'node:zlib'
import { SOURCE_LINE_BYTES_MAX } from '../limits.ts'
import type { OnProgress } from '../source.ts'
import type { Found } from './gather.ts'
import type { Importer } from './importer.ts'

export interface TableFormat {
  /** Label of the Encoding standard, such as `windows-1250`; default: UTF-8. */
  encoding?: string
  delimiter: string
  /** Columns to read; without a header all columns of the file, in order. */
  columns: readonly string[]
  /** False if the first line is data. */
  hasHeader?: boolean
  /** Number of lines before the header. */
  preamble?: number
}

/** Cells, or the fault. */
type TableLine = readonly string[] | string

/** Returns the function that reads a register line by line. @param read what a line of cells says */
export function table(format: TableFormat, read: (cells: readonly string[]) => Found): Importer['read'] {
  return async (path, _, take, onProgress) => {
    for await (const line of readTable(path, format, onProgress))
      take(typeof line === 'string' ? line : read(line))
  }
}

/**
 * Yields the lines of a text file, which may be gzipped. Column names are compared without case.
 * @throws Error when the file is empty, otherwise packed, lacks a column, has another encoding or a too long line
 */
export async function* readTable(
  path: string,
  format: TableFormat,
  onProgress: OnProgress = () => {},
): AsyncIterable<TableLine> {
  if ((await stat(path)).isDirectory()) throw new Error(`${path} is a folder; expected one file`)
  if (/\.(zip|7z|rar)$/i.test(path))
    throw new Error(`${path} is packed; unpack it, and name the text file inside`)
  const { encoding = 'utf-8', columns, delimiter, hasHeader = true, preamble = 0 } = format
  let positions: number[] | undefined = hasHeader ? undefined : columns.map((_, i) => i)
  let number = 0
  for await (const line of linesOf(path, encoding, onProgress)) {
    number++
    if (number <= preamble || line === '') continue
    const cells = splitLine(line, delimiter)
    if (positions === undefined) {
      if (typeof cells === 'string') throw new Error(`${path}: line ${number}, the header: ${cells}`)
      positions = positionsOf(path, cells, columns)
    } else if (typeof cells === 'string') yield `line ${number}: ${cells}`
    else if (cells.length <= Math.max(...positions))
      yield `line ${number}: ${cells.length} columns found, at least ${Math.max(...positions) + 1} expected`
    else yield positions.map(i => cells[i].trim())
  }
  if (positions === undefined || number <= preamble) throw new Error(`${path} is empty; expected a table`)
}

function positionsOf(path: string, header: readonly string[], columns: readonly string[]): number[] {
  const names = header.map(name => name.trim().toLowerCase())
  const missing = columns.filter(column => !names.includes(column.toLowerCase()))
  if (missing.length > 0)
    throw new Error(
      `${path}: the columns ${missing.join(', ')} are missing; found ${header.slice(0, 40).join(', ').slice(0, 400)}. ` +
        'It is another file or of another edition',
    )
  return columns.map(column => names.indexOf(column.toLowerCase()))
}

/** Splits a line. A quoted cell may hold the delimiter, and two quotation marks for one. */
function splitLine(line: string, delimiter: string): string[] | string {
  if (!line.includes('"')) return line.split(delimiter)
  const cells: string[] = []
  let at = 0
  while (at <= line.length) {
    if (line[at] !== '"') {
      const end = line.indexOf(delimiter, at)
      cells.push(line.slice(at, end < 0 ? line.length : end))
      at = end < 0 ? line.length + 1 : end + 1
      continue
    }
    let end = at + 1
    while (end < line.length && (line[end] !== '"' || line[end + 1] === '"')) end += line[end] === '"' ? 2 : 1
    if (end >= line.length) return 'a quotation mark without its end'
    cells.push(line.slice(at + 1, end).replaceAll('""', '"'))
    if (end + 1 < line.length && line[end + 1] !== delimiter) return 'text after a closing quotation mark'
    at = end + 2
  }
  return cells
}

async function* linesOf(path: string, encoding: string, onProgress: OnProgress): AsyncIterable<string> {
  const { size } = await stat(path)
  const file = createReadStream(path, { highWaterMark: 1 << 18 })
  const bytes = path.endsWith('.gz') ? file.pipe(createGunzip()) : file
  // A pipe does not forward errors.
  file.once('error', error => bytes.destroy(error))
  const decoder = new TextDecoder(encoding, { fatal: true })
  let rest = ''
  try {
    for await (const chunk of bytes) {
      onProgress(`reading ${basename(path)}`, file.bytesRead, size)
      const text = rest + decode(decoder, path, encoding, chunk as Buffer)
      const lines = text.split('\n')
      if (lines.some(line => line.length > SOURCE_LINE_BYTES_MAX))
        throw new Error(
          `${path}: a line of more than ${SOURCE_LINE_BYTES_MAX} characters was found; expected a table with a row on each line`,
        )
      rest = lines.pop() ?? ''
      for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
    }
    const last = rest + decode(decoder, path, encoding)
    if (last !== '') yield last.endsWith('\r') ? last.slice(0, -1) : last
  } finally {
    file.destroy()
  }
}

function decode(decoder: TextDecoder, path: string, encoding: string, chunk?: Buffer): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
  } catch (cause) {
    throw new Error(`${path} is not ${encoding} text; expected the file as its publisher offers it`, {
      cause,
    })
  }
}
