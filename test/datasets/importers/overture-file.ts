/** Parquet files with the columns of Overture's theme `addresses` that the importer reads, and one more. */
import { type ColumnSource, type ParquetWriteOptions, parquetWriteFile } from 'hyparquet-writer'

type SchemaElement = NonNullable<ParquetWriteOptions['schema']>[number]

export interface OvertureAddress {
  country: string | null
  postcode: string | null
  postal_city?: string | null
  /** Names of the areas, the largest first. */
  levels?: readonly string[]
  lat: number
  lon: number
}

const text = (name: string): SchemaElement => ({
  name,
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  repetition_type: 'OPTIONAL',
})

const SCHEMA: SchemaElement[] = [
  { name: 'root', num_children: 6 },
  text('id'),
  text('country'),
  text('postcode'),
  text('postal_city'),
  { name: 'address_levels', converted_type: 'LIST', repetition_type: 'OPTIONAL', num_children: 1 },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  { name: 'element', repetition_type: 'OPTIONAL', num_children: 1 },
  text('value'),
  { name: 'geometry', type: 'BYTE_ARRAY', repetition_type: 'OPTIONAL' },
]

/** Writes `addresses` to `filename` in row groups of `rowGroupSize`, compressed with zstd as Overture does. */
export function writeOverture(
  filename: string,
  addresses: readonly OvertureAddress[],
  rowGroupSize = 100_000,
  leave: readonly string[] = [],
): void {
  const columns: ColumnSource[] = [
    { name: 'id', data: addresses.map((_, i) => `id-${i}`) },
    { name: 'country', data: addresses.map(({ country }) => country) },
    { name: 'postcode', data: addresses.map(({ postcode }) => postcode) },
    { name: 'postal_city', data: addresses.map(({ postal_city }) => postal_city ?? null) },
    { name: 'address_levels', data: addresses.map(({ levels }) => (levels ?? []).map(value => ({ value }))) },
    { name: 'geometry', data: addresses.map(({ lat, lon }) => point(lat, lon)) },
  ]
  const columnData = columns.filter(({ name }) => !leave.includes(name))
  const schema = SCHEMA.filter(({ name }) => !leave.includes(name))
  schema[0] = { ...schema[0], num_children: columnData.length }
  const geo = { version: '1.1.0', primary_column: 'geometry', columns: { geometry: { encoding: 'WKB' } } }
  const kvMetadata = [{ key: 'geo', value: JSON.stringify(geo) }]
  parquetWriteFile({ filename, columnData, schema, rowGroupSize, kvMetadata, ...ZSTD })
}

const ZSTD = { codec: 'ZSTD', compressors: { ZSTD: storedZstd } } as const

/** Writes a zstd frame of uncompressed blocks: Node.js 20 has no zstd. */
function storedZstd(bytes: Uint8Array): Uint8Array {
  const size = Buffer.alloc(9)
  // One segment, with four bytes for its size.
  size.writeUInt32LE(0xfd2fb528, 0)
  size.writeUInt8(0xa0, 4)
  size.writeUInt32LE(bytes.length, 5)
  const blocks: Uint8Array[] = [size]
  for (let at = 0; at === 0 || at < bytes.length; at += ZSTD_BLOCK) {
    const block = bytes.subarray(at, at + ZSTD_BLOCK)
    const header = Buffer.alloc(3)
    header.writeUIntLE(block.length * 8 + (at + ZSTD_BLOCK >= bytes.length ? 1 : 0), 0, 3)
    blocks.push(header, block)
  }
  return Buffer.concat(blocks)
}

const ZSTD_BLOCK = 128 * 1024

/** Encodes a point as well-known binary. */
function point(lat: number, lon: number): Uint8Array {
  const bytes = Buffer.alloc(21)
  bytes.writeUInt8(1, 0)
  bytes.writeUInt32LE(1, 1)
  bytes.writeDoubleLE(lon, 5)
  bytes.writeDoubleLE(lat, 13)
  return bytes
}
