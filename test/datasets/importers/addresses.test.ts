import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { buildIndex } from '../../../build-index/build/build.ts'
import { kmBetweenDegrees } from '../../../build-index/distance.ts'
import { Imports } from '../../../datasets/importers/select.ts'
import { row } from '../../../datasets/row.ts'
import type { Source } from '../../../datasets/source.ts'
import { openIndex, type PostalCodes } from '../../../src/postal/library/node.ts'
import { seededRandom } from '../../support/random.ts'
import { sourceOf } from '../../support/sources.ts'
import { blob, osmBlock, osmHeader } from './osm-file.ts'
import { type OvertureAddress, writeOverture } from './overture-file.ts'

t.setTimeout(300_000)

const FLIPS = Number(process.env.SOURCE_DAMAGES ?? 40)

const folder = t.testdir({})

async function openSources(specs: readonly string[]): Promise<Source[]> {
  const imports = new Imports()
  for (const spec of specs) imports.add(spec)
  return imports.open()
}

async function buildCodes(name: string, sources: readonly Source[]): Promise<PostalCodes> {
  const output = join(folder, `${name}.postrie`)
  const countries = [...new Set(sources.flatMap(source => Object.keys(source.countries)))]
  await buildIndex({ output, sources, countries })
  return openIndex(output)
}

/** Code, name of the place, area of level 1, and position to a thousandth of a degree. */
function brief(source: Source, country: string): unknown[] {
  return [...source.rows(country)].map(({ code, place, name1, lat, lon }) =>
    [code, place, name1, lat.toFixed(3), lon.toFixed(3)].join('|'),
  )
}

const ATHENS = { lat: 37.979, lon: 23.716 }

function greek(postcode: string | null, city: string, i = 0, more: Partial<OvertureAddress> = {}) {
  const [lat, lon] = [ATHENS.lat + i / 1000, ATHENS.lon]
  return { country: 'GR', postcode, levels: ['Attica', city], lat, lon, ...more }
}

const PARTS = join(folder, 'overture')
mkdirSync(PARTS)
const FIRST_PART = join(PARTS, 'part-00000.zstd.parquet')
const SECOND_PART = join(PARTS, 'part-00001.zstd.parquet')
writeOverture(
  FIRST_PART,
  [
    ...Array.from({ length: 40 }, (_, i) => greek('104 31', 'ATHENS', i % 3)),
    // A misspelt name, a wrong code in Crete, a missing code, and a malformed code.
    greek('104 31', 'Athesn'),
    greek('104 31', 'Heraklion', 0, { lat: 35.339, lon: 25.13 }),
    greek(null, 'Athens'),
    greek('1043', 'Athens'),
    { country: 'US', postcode: '02108-1234', levels: ['MA', 'BOSTON'], lat: 42.357, lon: -71.064 },
  ],
  16,
)
writeOverture(SECOND_PART, [
  greek('104 31', 'Athens', 1),
  greek('185 34', 'Athens', 0, { postal_city: 'Piraeus', lat: 37.942, lon: 23.647 }),
])

t.test('Overture: one file or a folder gives all countries or one', async t => {
  const [source] = await openSources([`overture=${PARTS}`])
  t.match(source, { id: 'overture', origin: /^2 files/, countries: { GR: 'partial', US: 'partial' } })
  t.same(brief(source, 'GR'), ['104 31|Athens|Attica|37.980|23.716', '185 34|Piraeus|Attica|37.942|23.647'])
  t.same(brief(source, 'US'), ['02108|Boston|Massachusetts|42.357|-71.064'])
  t.match(source.notes, [/1 of 46 addresses were left out/])
  const [american] = await openSources([`overture-US=${FIRST_PART}`, `overture-US=${SECOND_PART}`])
  t.same(Object.keys(american.countries), ['US'])

  const codes = await buildCodes('greece', await openSources([`overture-GR=${PARTS}`]))
  t.match(codes.lookup('10431', 'GR'), { city: 'Athens' })
  const { latitude, longitude } = codes.metadata('10431', 'GR') ?? {}
  t.ok(kmBetweenDegrees(Number(latitude), Number(longitude), ATHENS.lat, ATHENS.lon) < 0.3)
  t.match(codes.lookup('18534', 'GR'), { city: 'Piraeus' })
  t.equal(codes.validate('10433', 'GR'), false)
})

t.test('the next source gives the codes that addresses lack', async t => {
  const world = sourceOf('world', [row('GR', '104 31', 'Athen'), row('GR', '841 00', 'Ermoupoli')])
  const weak = sourceOf('weak', [row('GR', '841 01', 'Nowhere')])
  const codes = await buildCodes('both', [...(await openSources([`overture-GR=${PARTS}`])), world, weak])
  t.match(codes.lookup('10431', 'GR'), { city: 'Athens' })
  t.match(codes.lookup('84100', 'GR'), { city: 'Ermoupoli' })
  t.equal(codes.validate('84101', 'GR'), false)
})

const ZAGREB = { lat: 45.813, lon: 15.977 }
const SPLIT = { lat: 43.508, lon: 16.44 }
const OSM = join(folder, 'croatia-latest.osm.pbf')
const address = (code: string, city: string, more = {}) => ({
  'addr:postcode': code,
  'addr:city': city,
  ...more,
})
const corner = (id: number, { lat, lon }: { lat: number; lon: number }, i = 0) => ({
  id,
  lat: lat + i / 1000,
  lon,
})
writeFileSync(
  OSM,
  Buffer.concat([
    osmHeader(),
    osmBlock({
      nodes: [
        { ...corner(1, ZAGREB), tags: { ...address('10000', 'Zagreb'), shop: 'bakery' } },
        { ...corner(2, ZAGREB), tags: { ...address('1000', 'Ljubljana'), 'addr:country': 'SI' } },
        { ...corner(3, ZAGREB), tags: address('HR-10000', 'Zagreb', { 'addr:country': 'Hrvatska' }) },
        corner(4, ZAGREB, 3),
      ],
    }),
    osmBlock({
      nodes: [
        corner(12_000_000_001, SPLIT),
        corner(12_000_000_002, SPLIT, 2),
        corner(12_000_000_003, SPLIT, 4),
      ],
    }),
    osmBlock({
      ways: [
        { id: 50, nodes: [4, 1, 4], tags: address('10000', 'Zagreb', { building: 'yes' }) },
        { id: 51, nodes: [12_000_000_001, 12_000_000_002] },
        { id: 52, nodes: [12_000_000_003, 12_000_000_001] },
        { id: 53, nodes: [12_000_000_002, 1], tags: { highway: 'primary' } },
      ],
    }),
    osmBlock({
      relations: [
        { id: 7, ways: [52, 51], tags: { boundary: 'postal_code', postal_code: '21000' } },
        { id: 8, ways: [53, 50], tags: address('21210', 'Solin', { type: 'multipolygon' }) },
        { id: 9, ways: [50], tags: { boundary: 'administrative', postal_code: '10010' } },
      ],
    }),
  ]),
)

t.test('OpenStreetMap: addresses and boundaries of codes are read', async t => {
  const [source] = await openSources([`osm-HR=${OSM}`])
  t.match(source, { licence: 'ODbL-1.0', attribution: /OpenStreetMap contributors/, lines: 6 })
  t.same(brief(source, 'HR'), [
    '10000|Zagreb||45.814|15.977',
    '21000|||43.510|16.440',
    '21210|Solin||43.510|16.440',
  ])
  const codes = await buildCodes('croatia', [source])
  t.match(codes.lookup('10000', 'HR'), { city: 'Zagreb' })
  t.match(codes.metadata('21000', 'HR'), { latitude: 43.51, longitude: 16.44 })
  await t.rejects(openSources([`osm=${OSM}`]), /lacks the country; expected osm-DE=<file>/)
})

t.test('damaged and other files are refused by name', async t => {
  const parquet = readFileSync(FIRST_PART)
  const osm = readFileSync(OSM)
  const hostileFooter = Buffer.from(parquet)
  hostileFooter.writeUInt32LE(0xfffffff0, parquet.length - 8)
  const without = join(folder, 'without.parquet')
  writeOverture(without, [greek('104 31', 'Athens')], 10, ['postcode', 'geometry'])
  const longHeader = Buffer.from(osm)
  longHeader.writeUInt32BE(0x7fffffff, 0)
  const damages: [spec: string, name: string, bytes: Uint8Array, message: RegExp][] = [
    ['overture', 'empty.parquet', Buffer.alloc(0), /empty.parquet is not a whole Parquet file/],
    [
      'overture',
      'text.parquet',
      Buffer.from('country,postcode\nGR,10431\n'),
      /is not a whole Parquet file .*; expected one of Overture/,
    ],
    [
      'overture',
      'cut.parquet',
      parquet.subarray(0, -300),
      /is not a whole Parquet file \(.*footer.*: download it again/,
    ],
    ['overture', 'footer.parquet', hostileFooter, /footer.parquet is not a whole .*4294967280 exceeds/],
    [
      'overture',
      'columns.parquet',
      readFileSync(without),
      /columns postcode, geometry are missing; found id, country/,
    ],
    ['overture', 'none.parquet', readFileSync(SECOND_PART), /none of 0 lines is a postal code/],
    ['osm', 'empty.osm.pbf', Buffer.alloc(0), /is empty; expected an .osm.pbf file/],
    [
      'osm',
      'text.osm.pbf',
      Buffer.from('<?xml version="1.0"?><osm/>'),
      /at byte 0 of 27: .*expected an .osm.pbf file/,
    ],
    [
      'osm',
      'cut.osm.pbf',
      osm.subarray(0, -30),
      /at byte \d+ of \d+: the file ends within a block; .*download it again/,
    ],
    ['osm', 'long.osm.pbf', longHeader, /a header of 2147483647 bytes was found, at most 65536 expected/],
    [
      'osm',
      'large.osm.pbf',
      Buffer.concat([osmHeader(), blob('OSMData', Buffer.alloc(9), 1e9)]),
      /a block of 1000000000 bytes/,
    ],
    [
      'osm',
      'bomb.osm.pbf',
      Buffer.concat([osmHeader(), blob('OSMData', Buffer.alloc(40e6))]),
      /larger than 33554432/,
    ],
    [
      'osm',
      'features.osm.pbf',
      osmHeader(['OsmSchema-V0.6', 'HistoricalInformation']),
      /it needs HistoricalInformation/,
    ],
    ['osm', 'nothing.osm.pbf', osmHeader(), /none of 0 lines is a postal code/],
  ]
  for (const [kind, name, bytes, message] of damages) {
    const path = join(folder, name)
    writeFileSync(path, bytes)
    const spec = kind === 'osm' ? 'osm-HR' : 'overture-FR'
    await t.rejects(openSources([`${spec}=${path}`]), message, name)
  }
  const none = join(folder, 'none')
  mkdirSync(none)
  await t.rejects(openSources([`overture=${none}`]), /is a folder without files \*\.parquet/)
})

t.test(`${FLIPS} damaged copies of each file give codes or an error with the file's name`, async t => {
  const random = seededRandom(11)
  let refused = 0
  for (const [spec, original] of [
    ['overture', FIRST_PART],
    ['osm-HR', OSM],
  ]) {
    const path = join(folder, 'flipped')
    for (let i = 0; i < FLIPS; i++) {
      const bytes = Buffer.from(readFileSync(original))
      for (let flips = 1 + random(3); flips > 0; flips--) bytes[random(bytes.length)] ^= 1 << random(8)
      writeFileSync(path, bytes)
      try {
        await openSources([`${spec}=${path}`])
      } catch (error) {
        refused++
        if (!(error instanceof Error) || !error.message.includes(path)) t.fail(`${spec} ${i}: ${error}`)
      }
    }
  }
  t.ok(refused > FLIPS / 2, `${refused} were refused`)
})
