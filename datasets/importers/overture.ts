/** Addresses of Overture Maps, from Parquet files of the theme `addresses`. */
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  type RowGroup,
} from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { compressors } from 'hyparquet-compressors'
import { NOWHERE } from '../row.ts'
import type { OnProgress } from '../source.ts'
import { addressReader } from './address-text.ts'
import type { Entry } from './gather.ts'
import type { Importer } from './importer.ts'

const COLUMNS = ['country', 'postcode', 'postal_city', 'address_levels', 'geometry']
/** Maximum rows of a row group, which is in memory as a whole. Writers make some 100,000. */
const GROUP_ROWS_MAX = 1_500_000
/** Maximum values in `address_levels` of a row, on average. */
const VALUES_PER_ROW_MAX = 8
/** Maximum bytes of the footer, of a column of a row group, and of an unpacked page. */
const COLUMN_BYTES_MAX = 256 * 1024 * 1024

/** Some forty countries. */
export const overture: Importer = {
  kind: 'overture',
  title: 'Overture Maps, addresses',
  country: 'any',
  licence: 'by country: CC-BY-4.0, ODbL-1.0 and others, as docs.overturemaps.org/attribution lists',
  attribution: '© Overture Maps Foundation and the sources that it names for each country, overturemaps.org',
  url: 'https://docs.overturemaps.org/attribution',
  completeness: 'partial',
  ending: '.parquet',
  async read(path, country, take, onProgress) {
    const handle = await open(path)
    try {
      const file = await bounded(handle)
      await readAddresses(file, await metadataOf(file, path), path, country, take, onProgress)
    } finally {
      await handle.close()
    }
  },
}

async function bounded(handle: FileHandle): Promise<AsyncBuffer> {
  const { size } = await handle.stat()
  return {
    byteLength: size,
    async slice(start, end = size) {
      if (!(start >= 0 && start <= end && end <= size))
        throw new Error(`it has ${size} bytes, and names its bytes ${start} to ${end}`)
      if (end - start > COLUMN_BYTES_MAX)
        throw new Error(`it has a part of ${end - start} bytes, at most ${COLUMN_BYTES_MAX} expected`)
      const bytes = new Uint8Array(end - start)
      await handle.read(bytes, 0, bytes.length, start)
      return bytes.buffer
    },
  }
}

/** @throws Error when the file is no whole Parquet file, or lacks a column */
async function metadataOf(file: AsyncBuffer, path: string): Promise<FileMetaData> {
  let metadata: FileMetaData
  try {
    metadata = await parquetMetadataAsync(file, { geoparquet: false })
  } catch (cause) {
    throw new Error(
      `${path} is not a whole Parquet file (${reasonOf(cause)}); expected one of Overture's theme addresses: download it again`,
      { cause },
    )
  }
  const found = parquetSchema(metadata).children.map(({ element }) => element.name)
  const missing = COLUMNS.filter(column => !found.includes(column))
  if (missing.length > 0)
    throw new Error(
      `${path}: the columns ${missing.join(', ')} are missing; found ${found.join(', ').slice(0, 400)}. ` +
        "Expected a file of Overture's theme addresses",
    )
  return metadata
}

async function readAddresses(
  file: AsyncBuffer,
  metadata: FileMetaData,
  path: string,
  wanted: string,
  take: (entry: Entry) => void,
  onProgress: OnProgress,
): Promise<void> {
  const entryOf = addressReader()
  const total = Number(metadata.num_rows)
  let rowStart = 0
  for (const [number, group] of metadata.row_groups.entries()) {
    const rowEnd = rowStart + Number(group.num_rows)
    onProgress(`reading ${basename(path)}`, rowStart, total)
    if (mayHave(group, wanted))
      try {
        await checkGroup(file, group)
        const [countries, codes, cities, levels, points] = await readColumns(file, metadata, rowStart, rowEnd)
        for (const [i, code] of codes.entries()) {
          if (typeof code !== 'string' || code === '' || (wanted !== '' && countries[i] !== wanted)) continue
          const areas = namesOf(levels[i])
          const smallest = areas.pop() ?? ''
          const city = cities[i]
          const place = typeof city === 'string' && city !== '' ? city : smallest
          take(entryOf({ country: String(countries[i]), code, place, areas, ...pointOf(points[i]) }))
        }
      } catch (cause) {
        throw new Error(
          `${path}: row group ${number + 1} of ${metadata.row_groups.length}: ${reasonOf(cause)}; ` +
            'the file is damaged or of another edition: download it again',
          { cause },
        )
      }
    rowStart = rowEnd
  }
}

/** Reads the values of each column, one after another: of two that fail, one would end the process. */
async function readColumns(
  file: AsyncBuffer,
  metadata: FileMetaData,
  rowStart: number,
  rowEnd: number,
): Promise<unknown[][]> {
  const columns: unknown[][] = []
  for (const column of COLUMNS) {
    const pages: ArrayLike<unknown>[] = []
    await parquetRead({
      file,
      metadata,
      columns: [column],
      rowStart,
      rowEnd,
      compressors,
      geoparquet: false,
      utf8: false,
      parsers: { geometryFromBytes: bytes => bytes },
      onPage: ({ columnData }) => pages.push(columnData),
    })
    const values: unknown[] = []
    for (const page of pages) for (let i = 0; i < page.length; i++) values.push(page[i])
    columns.push(values)
  }
  return columns
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** Returns false if the statistics of the row group exclude the country. */
function mayHave({ columns }: RowGroup, wanted: string): boolean {
  const column = columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === 'country')
  const { min_value, max_value } = column?.meta_data?.statistics ?? {}
  if (wanted === '' || typeof min_value !== 'string' || typeof max_value !== 'string') return true
  return min_value <= wanted && wanted <= max_value
}

/**
 * Checks sizes of columns and pages, so that none takes too much memory or never ends.
 * @throws Error when one is too large, or does not fit the others
 */
async function checkGroup(file: AsyncBuffer, { num_rows, columns }: RowGroup): Promise<void> {
  if (!(num_rows >= 0 && num_rows <= GROUP_ROWS_MAX))
    throw new Error(`${num_rows} rows were found, at most ${GROUP_ROWS_MAX} expected`)
  for (const { meta_data: column } of columns) {
    const [name, ...inner] = column?.path_in_schema ?? []
    if (column === undefined || !COLUMNS.includes(name)) continue
    const { dictionary_page_offset, data_page_offset, total_compressed_size, num_values } = column
    const start = Number(dictionary_page_offset || data_page_offset)
    const view = new DataView(await file.slice(start, start + Number(total_compressed_size)))
    const reader = { view, offset: 0 }
    const most = inner.length === 0 ? Number(num_rows) : VALUES_PER_ROW_MAX * GROUP_ROWS_MAX
    let values = 0
    while (reader.offset < view.byteLength) {
      const page = parquetHeader(reader)
      const data = page.data_page_header ?? page.data_page_header_v2
      const { num_values: count } = data ?? page.dictionary_page_header ?? { num_values: -1 }
      const [packed, bytes] = [page.compressed_page_size, page.uncompressed_page_size]
      reader.offset += packed
      const isSound =
        [count, packed, bytes].every(size => Number.isSafeInteger(size) && size >= 0) &&
        reader.offset <= view.byteLength &&
        count <= most &&
        bytes <= COLUMN_BYTES_MAX
      if (!isSound)
        throw new Error(
          `its column ${name} has a page of ${count} values in ${packed} bytes, ${bytes} unpacked`,
        )
      if (data !== undefined) values += count
    }
    if (values !== Number(num_values) || (inner.length === 0 && values !== Number(num_rows)))
      throw new Error(`its column ${name} has ${values} values for ${num_rows} rows, ${num_values} expected`)
  }
}

/** Returns names of `address_levels`, the largest area first. Their nesting differs by writer. */
function namesOf(levels: unknown, names: string[] = []): string[] {
  if (Array.isArray(levels)) for (const level of levels) namesOf(level, names)
  else if (typeof levels === 'string' && levels !== '') names.push(levels)
  return names
}

/** Parses a point in well-known binary; NaN for another shape. */
function pointOf(bytes: unknown): { lat: number; lon: number } {
  if (!(bytes instanceof Uint8Array) || bytes.length < 21) return NOWHERE
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const isLittle = bytes[0] === 1
  // Kinds above 1000 have a height.
  if (view.getUint32(1, isLittle) % 1000 !== 1) return NOWHERE
  return { lon: view.getFloat64(5, isLittle), lat: view.getFloat64(13, isLittle) }
}
