/** What does it cost to find a postal code, and to keep one in memory? */
import { openIndex } from '../../src/index/postal-index.ts'
import { Child } from '../child.ts'
import { WORLDS, type World, worldFile } from '../input/worlds.ts'
import { type Answer, type Measure, measure, type Options, type Question, type Ratio } from '../question.ts'
import { inTurn } from '../rounds.ts'
import { ratioOf, type Spread, spreadOf } from '../statistics.ts'
import { FINDERS } from '../stores/finders.ts'

const NANOS = 'ns per code'
const BYTES = 'bytes per code'
const [OURS, MAP] = Object.keys(FINDERS)

export const indexCodes: Question = {
  name: 'index',
  text: 'finding codes that exist and codes that do not, and the memory that each takes, at three sizes',
  rivals: true,
  run: runIndex,
}

interface Loaded {
  resident: number
  heap: number
  codes: number
}

async function runIndex(options: Options): Promise<Answer> {
  const measures: Measure[] = []
  const ratios: Ratio[] = []
  const found: { title: string; spread: Spread; openMs: Spread }[] = []
  for (const world of WORLDS) {
    const file = worldFile(world)
    if (file === undefined) continue
    const { title, byName, opening } = await runWorld(world, file, options)
    found.push({ title, spread: byName[OURS].found, openMs: opening })
    for (const [name, spreads] of Object.entries(byName)) {
      measures.push(measure(`found, ${title}`, name, NANOS, spreads.found))
      measures.push(measure(`absent, ${title}`, name, NANOS, spreads.absent))
      measures.push(measure(`memory, ${title}`, name, BYTES, spreads.bytes))
    }
    measures.push(measure(`opening, ${title}`, OURS, 'ms', opening))
    const wanted = (bound: string) => (world === 'world' ? bound : undefined)
    ratios.push(
      {
        text: `${title}: time of a found code against ${MAP}`,
        value: ratioOf(byName[OURS].found, byName[MAP].found),
        wanted: wanted('<= 1'),
      },
      {
        text: `${title}: memory against ${MAP}`,
        value: ratioOf(byName[OURS].bytes, byName[MAP].bytes),
        wanted: wanted('<= 0.1'),
      },
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

async function runWorld(world: World, file: string, { quick, log }: Options) {
  const { codeCount } = openIndex(file).file
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
    Array.from(children, ([name, { child, loaded }]) => [
      name,
      async () => ({
        found: await child.call<number>('find', 'found'),
        absent: await child.call<number>('find', 'absent'),
        bytes: bytesOf(name, loaded) / loaded.codes,
      }),
    ]),
  )
  const byName = await inTurn(contenders, quick ? 2 : 9)
  for (const { child } of children.values()) await child.end()
  return { title, byName, opening: spreadOf(Array.from({ length: 9 }, () => openingMs(file))) }
}

/** Live objects where they are in the heap, which leaves out a rival's garbage; else pages in memory. */
function bytesOf(name: string, { heap, resident }: Loaded): number {
  return name.startsWith('Map') || name.startsWith('sorted') ? heap : resident
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
      description: 'Bytes in memory after 200,000 random look-ups.',
      unit: BYTES,
      groups: of('memory'),
      lessIsBetter: true,
    },
  ]
}

const NOTES = [
  'All hold the same records of 14 fields. postrie is given bytes as a request has them; the others a canonical string, but for "Map, from bytes".',
  'Memory: live heap for the Map and the sorted array, whose strings are shared; resident pages for the mapped files.',
]
