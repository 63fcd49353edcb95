/** Writes `.osm.pbf` as osmium does: dense nodes, then ways, then relations, in zlib blocks. */
import { deflateSync } from 'node:zlib'
import { PbfWriter } from 'pbf'

type Tags = Readonly<Record<string, string>>
export type OsmNode = { id: number; lat: number; lon: number; tags?: Tags }
export type OsmWay = { id: number; nodes: readonly number[]; tags?: Tags }
export type OsmRelation = { id: number; ways: readonly number[]; tags?: Tags }

/** Writes a header block. Readers must know the `features`. */
export function osmHeader(features: readonly string[] = ['OsmSchema-V0.6', 'DenseNodes']): Buffer {
  const header = new PbfWriter()
  for (const feature of features) header.writeStringField(4, feature)
  return blob('OSMHeader', header.finish())
}

/** Writes a block of elements. Real blocks have up to 8,000. */
export function osmBlock(elements: {
  nodes?: readonly OsmNode[]
  ways?: readonly OsmWay[]
  relations?: readonly OsmRelation[]
}): Buffer {
  const { nodes = [], ways = [], relations = [] } = elements
  const texts = new Map<string, number>([['', 0]])
  const text = (value: string) => {
    const known = texts.get(value)
    if (known !== undefined) return known
    texts.set(value, texts.size)
    return texts.size - 1
  }
  const group = new PbfWriter()
  if (nodes.length > 0) group.writeMessage(2, writeNodes, { nodes, text })
  for (const way of ways)
    group.writeMessage(
      3,
      (_, pbf) => {
        writeTags(pbf, way, text)
        pbf.writePackedSVarint(8, deltas(way.nodes))
      },
      way,
    )
  for (const relation of relations)
    group.writeMessage(
      4,
      (_, pbf) => {
        writeTags(pbf, relation, text)
        pbf.writePackedVarint(8, Array(relation.ways.length).fill(0))
        pbf.writePackedSVarint(9, deltas(relation.ways))
        pbf.writePackedVarint(10, Array(relation.ways.length).fill(1))
      },
      relation,
    )
  const block = new PbfWriter()
  const strings = new PbfWriter()
  for (const value of texts.keys()) strings.writeBytesField(1, Buffer.from(value))
  block.writeBytesField(1, strings.finish())
  block.writeBytesField(2, group.finish())
  return blob('OSMData', block.finish())
}

type Texts = (value: string) => number

function writeNodes({ nodes, text }: { nodes: readonly OsmNode[]; text: Texts }, pbf: PbfWriter): void {
  pbf.writePackedSVarint(1, deltas(nodes.map(({ id }) => id)))
  pbf.writePackedSVarint(8, deltas(nodes.map(({ lat }) => Math.round(lat * 1e7))))
  pbf.writePackedSVarint(9, deltas(nodes.map(({ lon }) => Math.round(lon * 1e7))))
  if (nodes.some(({ tags }) => tags !== undefined))
    pbf.writePackedVarint(
      10,
      nodes.flatMap(({ tags = {} }) => [...Object.entries(tags).flat().map(text), 0]),
    )
}

function writeTags(pbf: PbfWriter, { id, tags = {} }: OsmWay | OsmRelation, text: Texts): void {
  pbf.writeVarintField(1, id)
  pbf.writePackedVarint(2, Object.keys(tags).map(text))
  pbf.writePackedVarint(3, Object.values(tags).map(text))
}

function deltas(values: readonly number[]): number[] {
  return values.map((value, i) => (i === 0 ? value : value - values[i - 1]))
}

/** Frames a block. `stated` is the size in its header. */
export function blob(type: string, bytes: Uint8Array, stated?: number): Buffer {
  const body = new PbfWriter()
  body.writeVarintField(2, bytes.length)
  body.writeBytesField(3, deflateSync(bytes))
  const packed = body.finish()
  const header = new PbfWriter()
  header.writeStringField(1, type)
  header.writeVarintField(3, stated ?? packed.length)
  const head = header.finish()
  const length = Buffer.alloc(4)
  length.writeUInt32BE(head.length)
  return Buffer.concat([length, head, packed])
}
