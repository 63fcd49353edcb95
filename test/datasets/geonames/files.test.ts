import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openGeonames } from '../../../datasets/geonames/geonames.ts'
import { seededRandom } from '../../support/random.ts'
import { geonamesLine, zipFile } from '../../support/zip-file.ts'

const WORLD = [
  geonamesLine('AD', 'AD100', 'Canillo', { name1: 'Canillo', lat: '42.58', lon: '1.66', accuracy: '6' }),
  geonamesLine('GB', 'SW1A', 'Westminster Abbey', { lat: '51.5', lon: '-0.13' }),
  geonamesLine('GB', 'M1', 'Manchester'),
  geonamesLine('JP', '100-0001', 'Chiyoda'),
]
const GB_FULL = [geonamesLine('GB', 'SW1A 1AA', 'London'), geonamesLine('GB', 'SW1A 2AA', 'London')]
const text = (lines: string[]) => `${lines.join('\n')}\n`

async function codes(locations: string[], country: string): Promise<string[]> {
  const source = await openGeonames(locations)
  return [...source.rows(country)].map(({ code }) => code)
}

t.test('rows are read from text files, zip files and folders', async t => {
  const folder = t.testdir({
    'allCountries.txt': text(WORLD),
    'allCountries.zip': zipFile({ 'allCountries.txt': text(WORLD), 'readme.txt': 'no data' }),
    other: { 'JP.txt': text([geonamesLine('JP', '100-0002', 'Chiyoda')]), 'notes.txt': 'no data' },
  })
  t.same(await codes([join(folder, 'allCountries.txt')], 'GB'), ['SW1A', 'M1'])
  t.same(await codes([join(folder, 'allCountries.zip')], 'GB'), ['SW1A', 'M1'])
  t.same(await codes([join(folder, 'other')], 'JP'), ['100-0002'])
  const source = await openGeonames([join(folder, 'allCountries.zip')])
  t.same(source.countries, { AD: 'full', GB: 'full', JP: 'full' })
  t.equal(source.origin, 'allCountries.txt')
  t.same([...source.rows('FR')], [])
})

t.test("a country file replaces the world's rows, and a full one replaces both", async t => {
  const folder = t.testdir({
    'GB_full.csv.zip': zipFile({ 'GB_full.txt': text(GB_FULL) }),
    'JP.zip': zipFile({ 'JP.txt': text([geonamesLine('JP', '1000002', 'Chiyoda')]) }),
    'allCountries.zip': zipFile({ 'allCountries.txt': text(WORLD) }),
  })
  for (const order of [
    [folder],
    ['allCountries.zip', 'JP.zip', 'GB_full.csv.zip'].map(name => join(folder, name)),
  ]) {
    t.same(await codes(order, 'GB'), ['SW1A 1AA', 'SW1A 2AA'])
    t.same(await codes(order, 'JP'), ['1000002'])
    t.same(await codes(order, 'AD'), ['AD100'])
  }
})

t.test('malformed lines are left out and reported with their numbers', async t => {
  const bytes = Buffer.from(
    text([WORLD[0], 'GB\tSW1A', '', 'nonsense', WORLD[2], geonamesLine('GB', 'M2', 'M\u00fcn'), WORLD[3]]),
  )
  bytes[bytes.indexOf('\u00fc')] = 0xff
  const folder = t.testdir({ 'allCountries.txt': bytes })
  const source = await openGeonames([join(folder, 'allCountries.txt')])
  const skipped: string[] = []
  t.same(
    [...source.rows('GB', reason => skipped.push(reason))].map(({ code }) => code),
    ['M1'],
  )
  t.same(
    [...(source.badLines ?? []), ...skipped],
    [
      'allCountries.txt:3: neither text nor a country is out of place',
      'allCountries.txt:4: neither text nor a country is out of place',
      'allCountries.txt:6: neither text nor a country is out of place',
      'allCountries.txt:2: 2 columns instead of 12',
    ],
  )
})

t.test('a row of another country in a country file is skipped and reported', async t => {
  const folder = t.testdir({ 'JP.txt': text([WORLD[0], WORLD[3]]) })
  const source = await openGeonames([folder])
  const skipped = source.badLines
  t.equal([...source.rows('JP')].length, 1)
  t.same(skipped, ['JP.txt:1: AD is out of place'])
})

t.test("a file that is not GeoNames' is refused", async t => {
  const folder = t.testdir({
    'allCountries.zip': zipFile({ 'readme.txt': 'no data' }),
    'broken.zip': 'PK',
    empty: {},
  })
  await t.rejects(openGeonames([join(folder, 'allCountries.zip')]), /no postal codes inside/)
  await t.rejects(openGeonames([join(folder, 'broken.zip')]), /damaged or cut short/)
  await t.rejects(openGeonames([join(folder, 'empty')]), /no GeoNames file/)
  await t.rejects(openGeonames([join(folder, 'missing.zip')]), /ENOENT/)
})

/** Returns the number of rows of a damaged file, or its error. */
async function outcome(path: string, bytes: Buffer): Promise<number | Error> {
  writeFileSync(path, bytes)
  try {
    const source = await openGeonames([path])
    let rows = 0
    for (const country of Object.keys(source.countries)) rows += [...source.rows(country)].length
    return rows
  } catch (error) {
    return error as Error
  }
}

t.test('a zip bomb of one endless line is refused at once', async t => {
  const folder = t.testdir({})
  const path = join(folder, 'allCountries.zip')
  const bomb = zipFile({ 'allCountries.txt': Buffer.alloc(20_000_000, 'A') })
  t.match(await outcome(path, bomb), {
    message: /allCountries\.txt has \d+ bytes packed and 20000000 unpacked, at most 100 times as many/,
  })
})

t.test('a line that is too long is refused, wherever it ends', async t => {
  const folder = t.testdir({})
  const random = seededRandom(3)
  // Its compression ratio is below a hundred, so only the limit on line length refuses it.
  const noise = Buffer.from(Array.from({ length: 1_000_000 }, () => 33 + random(90)))
  const ended = Buffer.concat([Buffer.from(`${WORLD[0]}\n`), noise, Buffer.from('\n')])
  for (const content of [
    noise,
    ended,
    ended.subarray(0, 30_000),
    Buffer.concat([ended.subarray(0, 30_000), Buffer.from('\n')]),
  ]) {
    for (const name of ['allCountries.zip', 'allCountries.txt']) {
      const bytes = name.endsWith('.zip') ? zipFile({ 'allCountries.txt': content }) : content
      t.match(await outcome(join(folder, name), bytes), {
        message: /line [12] of allCountries\.txt has more than 16384 bytes; .*fetch it again/,
      })
    }
  }
})

t.test('a zip file of many members is refused', async t => {
  const folder = t.testdir({})
  const members = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`${i}.txt`, 'no data']))
  t.match(await outcome(join(folder, 'allCountries.zip'), zipFile(members)), {
    message: /1001 members found, at most 1000 expected/,
  })
})

t.test('reading ends early in a file without rows', async t => {
  const folder = t.testdir({ 'allCountries.txt': '\n'.repeat(5_000_000) })
  await t.rejects(
    openGeonames([folder]),
    /more than 100000 of the first \d+ lines of allCountries\.txt are not rows/,
  )
})
