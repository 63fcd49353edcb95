/** What does it cost to find a postal code, and to keep one in memory? */
import { statSync } from 'node:fs'
import { ADMIN_EXTRA, ADMIN_WORDS, adminBefore, NAME_ADMIN_BYTES } from '../../src/format/admin-entry.ts'
import { nameOfCode } from '../../src/index/codes/code-name.ts'
import { openIndex } from '../../src/index/open-index.ts'
import { countriesOf, type PostalIndex } from '../../src/index/postal-index.ts'
import { VarintReader } from '../../src/index/text-section.ts'
import { Child } from '../child.ts'
import { WORLDS, type World, worldFile } from '../input/worlds.ts'
import { type Answer, type Measure, measure, type Options, type Question, type Ratio } from '../question.ts'
import { inTurn } from '../rounds.ts'
import { ratioOf, type Spread, spreadOf } from '../statistics.ts'
import { FINDERS } from '../stores/finders.ts'

const NANOS = 'ns per code'
const BYTES = 'bytes per code'
const [OURS, MAP] = Object.keys(FINDERS)
const WHOLE_FILE = 'postrie, whole file with cities'
const ANSWER_PART = 'postrie, everything known of a code'

export const indexCodes: Question = {
  name: 'index',
  text: 'finding codes that exist and codes that do not, and the memory that each takes, at three sizes',
  rivals: true,
  run: runIndex,
}

interface Loaded {
  resident: number
  heap: number
}

async function runIndex(options: Options): Promise<Answer> {
  const measures: Measure[] = []
  const ratios: Ratio[] = []
  const found: { title: string; spread: Spread; openMs: Spread }[] = []
  for (const world of WORLDS) {
    const file = worldFile(world)
    if (file === undefined) continue
    const { title, byName, bytes, opening } = await runWorld(world, file, options)
    found.push({ title, spread: byName[OURS].found, openMs: opening })
    for (const [name, spreads] of Object.entries(byName)) {
      measures.push(measure(`found, ${title}`, name, NANOS, spreads.found))
      measures.push(measure(`absent, ${title}`, name, NANOS, spreads.absent))
    }
    for (const [name, spread] of bytes) measures.push(measure(`memory, ${title}`, name, BYTES, spread))
    measures.push(measure(`opening, ${title}`, OURS, 'ms', opening))
    const wanted = (bound: string) => (world === 'world' ? bound : undefined)
    ratios.push(
      {
        text: `${title}: time of a found code against ${MAP}`,
        value: ratioOf(byName[OURS].found, byName[MAP].found),
        wanted: wanted('<= 1'),
      },
      memoryRatio(title, ANSWER_PART, bytes, wanted('<= 0.1')),
      memoryRatio(title, WHOLE_FILE, bytes, undefined),
    )
  }
  const [least, most] = [found[0], found[found.length - 1]]
  ratios.push(
    {
      text: `time of a found code, ${most.title} against ${least.title}`,
      value: most.spread.median / least.spread.median,
      wanted: '<= 2',
    },
    {
      text: `time to open, ${most.title} against ${least.title}`,
      value: most.openMs.median / least.openMs.median,
    },
  )
  return { measures, ratios, charts: charts(found.map(({ title }) => title)), notes: NOTES }
}

function memoryRatio(
  title: string,
  part: string,
  bytes: ReadonlyMap<string, Spread>,
  wanted: string | undefined,
) {
  // Both are there: each run has every contender.
  const value = ratioOf(bytes.get(part) as Spread, bytes.get('Map') as Spread)
  return { text: `${title}: memory, ${part.replace('postrie, ', '')} against a Map`, value, wanted } as Ratio
}

async function runWorld(world: World, file: string, { quick, log }: Options) {
  const index = openIndex(file)
  const { codeCount } = index.file
  const title = `${codeCount.toLocaleString('en-US')} codes`
  const count = String(Math.min(codeCount, quick ? 20_000 : 200_000))
  const children = new Map<string, { child: Child; loaded: Loaded }>()
  for (const name of Object.keys(FINDERS)) {
    log(`${world}: loading ${name}`)
    const child = new Child(
      './stores/finder-child.ts',
      [name, file, count],
      ['--expose-gc', '--max-old-space-size=8192'],
    )
    children.set(name, { child, loaded: await child.call<Loaded>('load') })
  }
  const contenders = Object.fromEntries(
    Array.from(children, ([name, { child }]) => [
      name,
      async () => ({
        found: await child.call<number>('find', 'found'),
        absent: await child.call<number>('find', 'absent'),
      }),
    ]),
  )
  const byName = await inTurn(contenders, quick ? 2 : 9)
  for (const { child } of children.values()) await child.end()
  const loaded = new Map(Array.from(children, ([name, { loaded }]) => [name, loaded]))
  const bytes = bytesPerCode(index, statSync(file).size, loaded)
  return { title, byName, bytes, opening: spreadOf(Array.from({ length: 9 }, () => openingMs(file))) }
}

/**
 * Bytes per code. Live objects where they are in the heap, which leaves out a rival's garbage; resident pages for the
 * databases. The samples are made from the index file, whose pages are resident before the measurement: it counts in
 * full, with the cities that the rivals lack, and once more without what only city search reads.
 */
function bytesPerCode(index: PostalIndex, length: number, loaded: ReadonlyMap<string, Loaded>) {
  const rivals = [...loaded].filter(([name]) => name !== OURS)
  const bytes: [string, number][] = rivals.map(([name, { heap, resident }]) => [
    name.split(',')[0],
    name.startsWith('Map') || name.startsWith('sorted') ? heap : resident,
  ])
  const ours: [string, number][] = [
    [WHOLE_FILE, length],
    [ANSWER_PART, answerBytes(index)],
  ]
  return new Map([...ours, ...bytes].map(([name, all]) => [name, spreadOf([all / index.file.codeCount])]))
}

/** The sections that answers about codes are made of, and of TEXT the strings that they lead to. */
function answerBytes(index: PostalIndex): number {
  const { TRIE, CODE, ADMN, WRIT, CTRY, RULE, META } = index.file.sections
  const names = new Set<number>()
  const areas = new Set<number>()
  for (const country of countriesOf(index)) {
    const { codeStart, codeCount } = country.meta
    for (let code = codeStart; code < codeStart + codeCount; code++) {
      const name = nameOfCode(index, country, code)
      const admin = adminBefore(index.text, name) * ADMIN_WORDS
      names.add(name)
      for (let field = 0; field <= ADMIN_EXTRA; field++) areas.add(index.admins[admin + field])
    }
  }
  let bytes = names.size * NAME_ADMIN_BYTES
  for (const text of new Set([...names, ...areas])) bytes += textBytes(index.text, text)
  return [TRIE, CODE, ADMN, WRIT, CTRY, RULE, META].reduce(
    (sum, section) => sum + section.bytes.length,
    bytes,
  )
}

/** Bytes of the string at `offset` of TEXT, its length included. */
function textBytes(text: Uint8Array, offset: number): number {
  const reader = new VarintReader(text)
  reader.at = offset
  const length = reader.next()
  return reader.at - offset + length
}

function openingMs(file: string): number {
  const started = performance.now()
  openIndex(file)
  return performance.now() - started
}

function charts(titles: readonly string[]) {
  const of = (kind: string) => titles.map(title => `${kind}, ${title}`)
  return [
    {
      file: 'index-found',
      title: 'Finding a postal code that exists',
      description: 'Nanoseconds per code.',
      unit: NANOS,
      groups: of('found'),
      lessIsBetter: true,
    },
    {
      file: 'index-memory',
      title: 'Memory per postal code',
      description: 'Bytes in memory, by postrie and by others.',
      unit: BYTES,
      groups: of('memory'),
      lessIsBetter: true,
    },
  ]
}

const NOTES = [
  'All hold the same records of 14 fields. postrie is given bytes as a request has them; the others a canonical string, but for "Map, from bytes".',
  'Memory: live heap for the Map and the sorted array, whose strings are shared; resident pages for the databases; for postrie the file itself, and of it what answers about codes are made of, which are the same 14 fields.',
]
