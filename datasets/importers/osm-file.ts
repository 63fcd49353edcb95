/** Reads `.osm.pbf` files: https://wiki.openstreetmap.org/wiki/PBF_Format has the format and its sizes. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import { PbfReader } from 'pbf'

const HEADER_BYTES_MAX = 64 * 1024
const BLOB_BYTES_MAX = 32 * 1024 * 1024
/** Features that this reader supports. */
const FEATURES = ['OsmSchema-V0.6', 'DenseNodes']
/** Fields of a primitive group, and types of a relation's members. */
const FIELDS = { node: 1, dense: 2, way: 3, relation: 4 } as const
const MEMBER_IS_WAY = 1

/** Values of the wanted tags, in their order. */
export type Tags = readonly (string | undefined)[]

/** Receives elements. Kinds without a function are not read. */
export interface Visitor {
  /** Only nodes with a wanted tag. */
  node?(tags: Tags, lat: number, lon: number): void
  /** Every node. */
  point?(id: number, lat: number, lon: number): void
  way?(id: number, tags: Tags, firstNode: number): void
  relation?(tags: Tags, ways: readonly number[]): void
}

/**
 * Reads a file block by block.
 * @param keys wanted tags
 * @throws Error when the file is another, damaged, or needs an unsupported feature
 */
export function readOsm(
  path: string,
  keys: readonly string[],
  visitor: Visitor,
  onBytes: (done: number, total: number) => void,
): void {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    let isFirst = true
    for (let at = 0; at < size; ) {
      const [start, first] = [at, isFirst]
      const take = (bytes: number, most: number, what: string) => {
        if (bytes > most) throw new Error(`${what} of ${bytes} bytes was found, at most ${most} expected`)
        if (at + bytes > size) throw new Error(`the file ends within ${what}`)
        const buffer = Buffer.allocUnsafe(bytes)
        readSync(file, buffer, 0, bytes, at)
        at += bytes
        return buffer
      }
      try {
        const header = blobHeader(take(take(4, 4, 'a length').readUInt32BE(), HEADER_BYTES_MAX, 'a header'))
        if (first !== (header.type === 'OSMHeader'))
          throw new Error(`a block ${header.type.slice(0, 40)} was found`)
        const bytes = unpacked(take(header.bytes, BLOB_BYTES_MAX, 'a block'))
        if (first) checkFeatures(bytes)
        else if (header.type === 'OSMData') readBlock(new PbfReader(bytes), keys, visitor)
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause)
        const advice = first ? 'expected an .osm.pbf file' : 'the file is damaged: download it again'
        throw new Error(`${path}: at byte ${start} of ${size}: ${reason}; ${advice}`, { cause })
      }
      isFirst = false
      onBytes(at, size)
    }
    if (isFirst) throw new Error(`${path} is empty; expected an .osm.pbf file`)
  } finally {
    closeSync(file)
  }
}

function blobHeader(buffer: Buffer): { type: string; bytes: number } {
  return new PbfReader(buffer).readFields(
    (field, header, pbf) => {
      if (field === 1) header.type = pbf.readString()
      else if (field === 3) header.bytes = pbf.readVarint()
    },
    { type: '', bytes: 0 },
  )
}

function unpacked(blob: Buffer): Uint8Array {
  const pbf = new PbfReader(blob)
  for (let field = pbf.nextField(); field > 0; field = pbf.nextField()) {
    if (field === 1) return pbf.readBytes()
    if (field === 3) return inflateSync(pbf.readBytes(), { maxOutputLength: BLOB_BYTES_MAX })
    if (field > 3)
      throw new Error('a block is packed otherwise than by zlib; osmium cat -f pbf makes such a file')
  }
  throw new Error('a block without data was found')
}

function checkFeatures(bytes: Uint8Array): void {
  const needed = new PbfReader(bytes).readFields<string[]>((field, features, pbf) => {
    if (field === 4) features.push(pbf.readString())
  }, [])
  const unknown = needed.filter(feature => !FEATURES.includes(feature))
  if (unknown.length > 0)
    throw new Error(`it needs ${unknown.join(', ').slice(0, 200)}, at most ${FEATURES.join(', ')} expected`)
}

interface Block {
  /** Indexes into the wanted keys, by number of the text. */
  keys: ReadonlyMap<number, number>
  text(number: number): string
  lat(value: number): number
  lon(value: number): number
}

function readBlock(pbf: PbfReader, wanted: readonly string[], visitor: Visitor): void {
  const texts: Uint8Array[] = []
  const groups: number[] = []
  let [granularity, latOffset, lonOffset] = [100, 0, 0]
  pbf.readFields(field => {
    if (field === 1)
      pbf.readMessage((inner, list) => {
        if (inner === 1) list.push(pbf.readBytes())
      }, texts)
    else if (field === 2) {
      const end = pbf.readVarint() + pbf.pos
      groups.push(pbf.pos, end)
      pbf.pos = end
    } else if (field === 17) granularity = pbf.readVarint()
    else if (field === 19) latOffset = pbf.readVarint(true)
    else if (field === 20) lonOffset = pbf.readVarint(true)
  }, undefined)
  const text = (number: number) => Buffer.from(texts[number] ?? []).toString()
  const keys = new Map<number, number>()
  for (const [number, { length }] of texts.entries()) {
    const key = wanted.findIndex(name => name.length === length && name === text(number))
    if (key >= 0) keys.set(number, key)
  }
  const block: Block = {
    keys,
    text,
    lat: value => 1e-9 * (latOffset + granularity * value),
    lon: value => 1e-9 * (lonOffset + granularity * value),
  }
  const isWanted = keys.size > 0 || wanted.length === 0
  for (let i = 0; i < groups.length; i += 2) {
    pbf.pos = groups[i]
    pbf.readFields(
      field => {
        const end = pbf.readVarint() + pbf.pos
        if (end > groups[i + 1]) throw new Error('an element is longer than its block')
        if (field === FIELDS.node)
          throw new Error('a node on its own was found; osmium cat -f pbf makes dense nodes')
        if (field === FIELDS.dense) readNodes(pbf, end, block, visitor)
        else if (field === FIELDS.way && isWanted) readWay(pbf, end, block, visitor)
        else if (field === FIELDS.relation && isWanted) readRelation(pbf, end, block, visitor)
        pbf.pos = end
      },
      undefined,
      groups[i + 1],
    )
  }
}

function readNodes(pbf: PbfReader, end: number, block: Block, { node, point }: Visitor): void {
  const isTagged = node !== undefined && block.keys.size > 0
  if (!isTagged && point === undefined) return
  const [ids, lats, lons, texts]: number[][] = [[], [], [], []]
  pbf.readFields(
    field => {
      if (field === 1) pbf.readPackedSVarint(ids)
      else if (field === 8) pbf.readPackedSVarint(lats)
      else if (field === 9) pbf.readPackedSVarint(lons)
      else if (field === 10 && isTagged) pbf.readPackedVarint(texts)
    },
    undefined,
    end,
  )
  if (lats.length !== ids.length || lons.length !== ids.length)
    throw new Error(`${ids.length} nodes with ${lats.length} and ${lons.length} coordinates were found`)
  let [id, lat, lon, at] = [0, 0, 0, 0]
  for (let i = 0; i < ids.length; i++) {
    id += ids[i]
    lat += lats[i]
    lon += lons[i]
    point?.(id, block.lat(lat), block.lon(lon))
    // Each node's tags end with a zero: key, value, key, value, 0.
    const tags: string[] = []
    for (; at < texts.length && texts[at] !== 0; at += 2) addTag(tags, block, texts[at], texts[at + 1])
    at++
    if (tags.length > 0) node?.(tags, block.lat(lat), block.lon(lon))
  }
}

function readWay(pbf: PbfReader, end: number, block: Block, { way }: Visitor): void {
  if (way === undefined) return
  let [id, first] = [0, 0]
  const tags = readTags(pbf, end, block, field => {
    if (field === 1) id = pbf.readVarint()
    else if (field === 8) {
      // The first node stands for all.
      const after = pbf.readPackedEnd()
      if (after > pbf.pos) first = pbf.readSVarint()
      pbf.pos = after
    }
  })
  if (first !== 0) way(id, tags, first)
}

function readRelation(pbf: PbfReader, end: number, block: Block, { relation }: Visitor): void {
  if (relation === undefined) return
  const [members, types]: number[][] = [[], []]
  const tags = readTags(pbf, end, block, field => {
    if (field === 9) pbf.readPackedSVarint(members)
    else if (field === 10) pbf.readPackedVarint(types)
  })
  let id = 0
  const ids = members.map(step => (id += step))
  if (tags.length > 0)
    relation(
      tags,
      ids.filter((_, i) => types[i] === MEMBER_IS_WAY),
    )
}

/** Reads an element up to `end`. `other` reads the fields besides tags. */
function readTags(pbf: PbfReader, end: number, block: Block, other: (field: number) => void): Tags {
  const [keys, values]: number[][] = [[], []]
  for (let field = pbf.nextField(end); field > 0; field = pbf.nextField(end)) {
    if (field === 2) pbf.readPackedVarint(keys)
    else if (field === 3) pbf.readPackedVarint(values)
    else other(field)
  }
  const tags: string[] = []
  for (const [i, key] of keys.entries()) addTag(tags, block, key, values[i])
  return tags
}

function addTag(tags: string[], { keys, text }: Block, key: number, value: number): void {
  const place = keys.get(key)
  if (place !== undefined) tags[place] = text(value)
}
