import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { DEFAULT_SOURCES } from '../../../datasets/default-sources.ts'
import { download } from '../../../datasets/geonames/download.ts'
import { openGeonames } from '../../../datasets/geonames/geonames.ts'
import { pickDefaultSources, selectSources } from '../../../datasets/geonames/select.ts'
import { listenUntilEnd } from '../../support/listening.ts'
import { seededRandom } from '../../support/random.ts'
import { until } from '../../support/until.ts'
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

const FILE = zipFile({ 'allCountries.txt': `${geonamesLine('AD', 'AD100', 'Canillo')}\n` })
const LARGE = Buffer.alloc(300_000, 'postal code ')
const MODIFIED = 'Sun, 01 Mar 2026 06:00:00 GMT'
/** A busy machine may pause for seconds. */
const PATIENT = { attempts: 4, stallMs: 30_000, retryMs: 5 }

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Serves `answers` in turn, then the last one again. Returns the address. */
async function serve(t: Test, ...answers: Answer[]): Promise<{ base: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = []
  const server: Server = createServer((request, response) => {
    requests.push(request)
    answers[Math.min(requests.length, answers.length) - 1](request, response)
  })
  return { base: `http://127.0.0.1:${await listenUntilEnd(t, server)}/`, requests }
}

function sendPart(body: Buffer): Answer {
  return (request, response) => {
    const part = body.subarray(startOf(request))
    response.writeHead(headOf(request), common(part)).end(part)
  }
}

/** Answers with the first `bytes`, then hangs up once they are in `file`: a client loses bytes that it has received but not read. */
function breakOff(body: Buffer, bytes: number, file: string): Answer {
  return (request, response) => {
    const start = startOf(request)
    const part = body.subarray(start)
    response.writeHead(headOf(request), common(part)).write(part.subarray(0, bytes))
    const isKept = () => statSync(file, { throwIfNoEntry: false })?.size === start + bytes
    // Without those bytes, the client's requests differ from the expected ones.
    until(isKept).then(
      () => response.destroy(),
      () => response.destroy(),
    )
  }
}

const startOf = ({ headers }: IncomingMessage) => Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0)
const headOf = (request: IncomingMessage) => (startOf(request) > 0 ? 206 : 200)
const common = (part: Buffer) => ({ 'content-length': part.length, 'last-modified': MODIFIED, etag: '"1"' })

t.test('a broken download continues where it ended, also for a slow client', async t => {
  const folder = t.testdir({})
  const part = join(folder, 'allCountries.zip.part')
  const broken = [breakOff(LARGE, 100_000, part), breakOff(LARGE, 50_000, part)]
  const { base, requests } = await serve(t, ...broken, sendPart(LARGE))
  const result = await download(`${base}allCountries.zip`, folder, PATIENT)
  t.same(readFileSync(result.path), LARGE)
  const ranges = requests.map(({ headers }) => headers.range)
  t.same(ranges, [undefined, 'bytes=100000-', 'bytes=150000-'])
  t.equal(requests[1].headers['if-range'], '"1"')
  t.equal(result.date, '2026-03-01')
  t.notOk(existsSync(`${result.path}.part`))
})

t.test('a current copy is kept', async t => {
  const unchanged: Answer = (_, response) => response.writeHead(304).end()
  const { base, requests } = await serve(t, sendPart(LARGE), unchanged)
  const folder = t.testdir({})
  await download(`${base}allCountries.zip`, folder, PATIENT)
  const again = await download(`${base}allCountries.zip`, folder, PATIENT)
  t.match(again, { unchanged: true, date: '2026-03-01' })
  t.equal(requests[1].headers['if-modified-since'], MODIFIED)
})

t.test('a failed download says why', async t => {
  const folder = t.testdir({})
  const missing = await serve(t, (_, response) => response.writeHead(404).end())
  await t.rejects(download(`${missing.base}allCountries.zip`, folder, PATIENT), /answered 404, expected 200/)
  t.equal(missing.requests.length, 1, 'a file that is not there is asked for once')
  const busy = await serve(t, (_, response) => response.writeHead(503).end(), sendPart(LARGE))
  t.same(readFileSync((await download(`${busy.base}busy.zip`, folder, PATIENT)).path), LARGE)
  const silent = await serve(t, () => {})
  await t.rejects(
    download(`${silent.base}silent.zip`, folder, { attempts: 2, stallMs: 50, retryMs: 1 }),
    /less than 65536 bytes arrived in 50 ms/,
  )
  t.equal(silent.requests.length, 2)
})

t.test('a first start downloads its sources', async t => {
  const dataDir = t.testdir({ geonames: {} })
  const gone = await serve(t, (_, response) => response.writeHead(404).end())
  const offline = await pickDefaultSources(dataDir, { base: gone.base })
  t.equal(offline.sources, DEFAULT_SOURCES)
  t.match(offline.messages.join(' '), /answered 404.*postrie build --source geonames/)
  const { base } = await serve(t, sendPart(FILE))
  const online = await pickDefaultSources(dataDir, { base })
  t.match(online.messages, [/was fetched/])
  t.same(online.sources[0].countries, { AD: 'full' })
  const later = await pickDefaultSources(dataDir, { base: gone.base })
  t.match(later.messages, [/is read from/], 'the copy from before needs no network')
})

t.test('a first start on a small machine does not build the world', async t => {
  const { base, requests } = await serve(t, sendPart(FILE))
  const small = await pickDefaultSources(t.testdir({}), { base }, 512 * 1024 * 1024)
  t.equal(small.sources, DEFAULT_SOURCES)
  t.match(small.messages, [/512 MB of memory, and building the world needs \d+ MB/, /npm packages alone/])
  t.equal(requests.length, 0)
})

t.test('options name the sources', async t => {
  const dataDir = t.testdir({ geonames: {}, 'XX.zip': 'PK', 'allCountries.zip': FILE })
  const gone = await serve(t, (_, response) => response.writeHead(404).end())
  t.same((await selectSources([], dataDir)).sources, DEFAULT_SOURCES)
  const file = await selectSources([`geonames=${join(dataDir, 'allCountries.zip')}`], dataDir)
  t.same(file.sources[0].countries, { AD: 'full' })
  const offline = await selectSources(['geonames'], dataDir, { ...PATIENT, base: gone.base })
  t.match(offline, { messages: [/answered 404/, /npm packages alone/] })
  const { base } = await serve(t, sendPart(FILE))
  const online = await selectSources([`geonames=${base}allCountries.zip`], dataDir, PATIENT)
  t.match(online.messages, [/was fetched/])
  await t.rejects(selectSources(['openstreetmap'], dataDir), /unknown source openstreetmap/)
  await t.rejects(selectSources([`geonames=${join(dataDir, 'XX.zip')}`], dataDir), /damaged or cut short/)
})
