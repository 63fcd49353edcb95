/** A damaged source fails or keeps every sound row. `SOURCE_DAMAGES` sets the number of cuts and flipped bits; nightly 300. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { BuildSummary } from '../../build-index/build/build.ts'
import { keyOf } from '../../build-index/check/keys.ts'
import { normaliser } from '../../build-index/rows/normal-form.ts'
import { parseGeonamesLine } from '../../datasets/geonames/geonames-line.ts'
import { openIndex } from '../../src/postal/index/open-index.ts'
import { countriesOf } from '../../src/postal/index/postal-index.ts'
import { placeCodes, placeName } from '../../src/postal/index/read-place.ts'
import { BuilderCopy } from '../support/builder-copy.ts'
import { drawRows, textOf } from '../support/geonames-rows.ts'
import { builder as runBuilder } from '../support/processes.ts'
import { seededRandom } from '../support/random.ts'
import { zipFile } from '../support/zip-file.ts'

const CUTS = Number(process.env.SOURCE_DAMAGES ?? 6)
const FLIPS = CUTS

const folder = t.testdir({})
const builder = new BuilderCopy(join(folder, 'builder'))
const indexes = join(folder, 'indexes')
const output = join(indexes, 'index.postrie')

/** An error names the file or the loss, and the remedy. */
const CLEAR =
  /allCountries\.\w+.*fetch|^the new index would lose.*\w\w: \d+ codes, \d+ before.*If a source is incomplete, fetch it again.*--accept-loss/s

/** Rows of an index as `country key place`. */
function rowsOf(path: string): Set<string> {
  const index = openIndex(path)
  const rows = new Set<string>()
  for (const country of countriesOf(index)) {
    const { codeStart, codeCount, placeStart, placeCount } = country.meta
    const keys = Array.from({ length: codeCount }, (_, i) => keyOf(index, country, codeStart + i))
    for (let place = placeStart; place < placeStart + placeCount; place++)
      for (const code of placeCodes(index, country, place))
        rows.add(`${country.cc} ${keys[code - codeStart]} ${placeName(index, place)}`)
  }
  return rows
}

/** Returns the differences. `t.same` takes a hundred times as long. */
function difference(a: ReadonlySet<string>, b: ReadonlySet<string>): string[] {
  return [...[...a].filter(row => !b.has(row)), ...[...b].filter(row => !a.has(row))]
}

/** Reads `text` line by line. Returns the rows and the number of malformed lines. */
function soundRows(text: Buffer): { rows: Set<string>; bad: number } {
  const rows = new Set<string>()
  let bad = 0
  for (const line of text.toString('utf8').replace(/\n$/, '').split('\n')) {
    const row = parseGeonamesLine(line)
    const key =
      typeof row === 'string' || line.includes('\ufffd') ? undefined : normaliser(row.country)(row.code)?.key
    if (typeof row === 'string' || key === undefined || !KNOWN.has(row.country)) bad++
    else rows.add(`${row.country} ${key} ${row.place}`)
  }
  return { rows, bad }
}

const drawn = drawRows(3, 2000)
const whole = Buffer.from(textOf(drawn))
const packed = zipFile({ 'allCountries.txt': whole, 'readme.txt': 'GeoNames' })
/** Countries of the rows, and countries that a flipped bit makes of them. */
const KNOWN = new Set(
  (JSON.parse(readFileSync('node_modules/i18n-iso-countries/codes.json', 'utf8')) as string[][]).map(
    ([cc]) => cc,
  ),
)

interface Case {
  name: string
  bytes: Buffer
}

function damagedCopies(bytes: Buffer, seed: number): Case[] {
  const random = seededRandom(seed)
  const cuts = Array.from({ length: CUTS }, () => {
    const at = random(bytes.length)
    return { name: `cut at ${at}`, bytes: bytes.subarray(0, at) }
  })
  const flips = Array.from({ length: FLIPS }, () => {
    const flipped = Buffer.from(bytes)
    const at = random(bytes.length)
    flipped[at] ^= 1 << random(8)
    return { name: `flipped at ${at}`, bytes: flipped }
  })
  return [...cuts, ...flips]
}

/** Builds from `path`. Checks a failure and returns null for it. */
async function tryBuild(
  t: Test,
  name: string,
  path: string,
  acceptLoss: boolean,
): Promise<BuildSummary | null> {
  const before = readFileSync(output)
  try {
    return await builder.build({ locations: [path] }, { output, acceptLoss })
  } catch (error) {
    t.match((error as Error).message, CLEAR, `${name}: ${(error as Error).message.slice(0, 200)}`)
    t.ok(readFileSync(output).equals(before), `${name}: the index is what it was`)
    t.same(readdirSync(indexes), ['index.postrie'], `${name}: nothing else is left`)
    return null
  }
}

t.before(async () => {
  mkdirSync(indexes)
  writeFileSync(join(folder, 'allCountries.txt'), whole)
  const { report } = await builder.build({ locations: [join(folder, 'allCountries.txt')] }, { output })
  t.equal(report.skippedCount, 0)
  t.same(rowsOf(output), soundRows(whole).rows, 'a sound file gives all of its rows')
})

t.test('a line with half of a position is malformed', t => {
  const lineOf = (lat: string, lon: string) => [
    'DE',
    '10115',
    'Berlin',
    ...new Array(6).fill(''),
    lat,
    lon,
    '1',
  ]
  for (const half of [lineOf('52.5', ''), lineOf('', '13.4')])
    t.equal(parseGeonamesLine(half.join('\t')), 'only half of a position')
  t.match(parseGeonamesLine(lineOf('', '').join('\t')), { lat: Number.NaN, lon: Number.NaN })
  t.end()
})

t.test('a damaged zip file gives all rows or an error', async t => {
  const path = join(folder, 'allCountries.zip')
  const sound = soundRows(whole).rows
  let built = 0
  for (const { name, bytes } of damagedCopies(packed, 4)) {
    writeFileSync(path, bytes)
    const summary = await tryBuild(t, name, path, true)
    if (summary === null) continue
    built++
    t.equal(summary.report.skippedCount, 0, `${name}: it does not matter`)
    t.same(difference(rowsOf(output), sound), [], `${name}: all rows`)
  }
  t.ok(built <= FLIPS / 6, `${built} flips did not matter`)
})

t.test('a member that is damaged only in the directory is an error', async t => {
  const path = join(folder, 'countries.zip')
  const bytes = zipFile({
    'AD.txt': textOf(drawRows(5, 50, ['AD'])),
    'HT.txt': textOf(drawRows(5, 50, ['HT'])),
  })
  const name = Buffer.from(bytes)
  name[name.lastIndexOf('HT.txt')] ^= 32
  const count = Buffer.from(bytes)
  count[count.length - 12]--
  for (const damaged of [name, count]) {
    writeFileSync(path, damaged)
    await t.rejects(
      builder.build({ locations: [path] }, { output, acceptLoss: true }),
      /countries\.zip.*fetch it again/,
    )
  }
})

t.test('a damaged text file gives every sound row and counts the others', async t => {
  const path = join(folder, 'allCountries.txt')
  for (const { name, bytes } of damagedCopies(whole, 6)) {
    writeFileSync(path, bytes)
    const summary = await tryBuild(t, name, path, true)
    if (summary === null) continue
    const { rows, bad } = soundRows(bytes)
    t.same(difference(rowsOf(output), rows), [], `${name}: every sound row and no other`)
    t.equal(summary.report.skippedCount, bad, `${name}: ${bad} bad rows`)
    if (!bytes.subarray(-1).equals(Buffer.from('\n')))
      t.match(summary.report.notes.join(), /has no end; the file may be cut short/, name)
  }
})

t.test('a shortened text file does not replace an index with more codes', async t => {
  const path = join(folder, 'allCountries.txt')
  writeFileSync(path, whole)
  await builder.build({ locations: [path] }, { output, acceptLoss: true })
  const random = seededRandom(7)
  let refused = 0
  let noted = 0
  for (let i = 0; i < CUTS; i++) {
    // A cut at the end of a line is the hardest case: the file itself looks whole.
    const at = whole.lastIndexOf('\n', random(whole.length)) + 1
    writeFileSync(path, whole.subarray(0, at))
    const summary = await tryBuild(t, `cut at ${at}`, path, false)
    if (summary === null) refused++
    else if (rowsOf(output).size < soundRows(whole).rows.size) {
      noted++
      t.match(summary.report.notes.join(), /\w\w: \d+ codes and \d+ places, \d+ and \d+ in the index before/)
      writeFileSync(path, whole)
      await builder.build({ locations: [path] }, { output })
    }
  }
  t.ok(refused >= CUTS * 0.8, `${refused} refused, ${noted} noted`)
})

t.test('the command fails with exit code and remedy', async t => {
  const dir = join(folder, 'data')
  const file = join(folder, 'allCountries.txt')
  const zip = join(folder, 'allCountries.zip')
  const build = (path: string) =>
    runBuilder(dir, ['build', '--source', `geonames=${path}`, '--countries', 'AD,BM'])
  writeFileSync(file, whole.subarray(0, whole.length - 5))
  const first = await build(file)
  t.equal(first.code, 0)
  t.match(first.stdout, /Warnings\n.*line 2000 of allCountries\.txt, the last, has no end/)
  t.match(first.stdout, /rows of only 7 countries/)
  const index = readFileSync(join(dir, 'index.postrie'))
  writeFileSync(file, '<html>\n<p>Not found</p>\n')
  writeFileSync(zip, packed.subarray(0, packed.length - 9))
  for (const [path, says] of [
    [
      file,
      /^postrie: .*2 lines in allCountries\.txt and not one row of any country; expected .* fetch the file again/,
    ],
    [zip, /^postrie: .*allCountries\.zip: the zip file is damaged or cut short .*; fetch it again/],
  ] as const) {
    const { code, stdout, stderr } = await build(path)
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, says)
    t.notMatch(stderr, /^ +at /m, 'no stack')
    t.ok(readFileSync(join(dir, 'index.postrie')).equals(index), 'the index is unchanged')
    t.same(readdirSync(dir), ['index.postrie'])
  }
})
