/** What does a city search cost, when the name is exact and when it is misspelt? */
import { searchCity } from '../../src/index/cities/city-search.ts'
import { countryByText, type PostalIndex } from '../../src/index/postal-index.ts'
import { misspelt, type SampleCity, sampleCities } from '../input/samples.ts'
import { worldIndex } from '../input/worlds.ts'
import { load } from '../packages.ts'
import { type Answer, measure, type Options, type Question } from '../question.ts'
import { inTurn } from '../rounds.ts'

/** The part of tinybench that is used here; it times each call, which the percentiles need. */
interface Tinybench {
  Bench: new (
    options: object,
  ) => {
    add(name: string, run: () => void): void
    run(): Promise<{ result: { latency: Record<'p50' | 'p99' | 'max', number> } }[]>
  }
}

export const city: Question = {
  name: 'city',
  text: 'city search by an exact and by a misspelt name, with its 99th percentile',
  rivals: true,
  run: runCity,
}

async function runCity({ quick, log }: Options): Promise<Answer> {
  const index = worldIndex()
  const count = quick ? 500 : 5_000
  const exact = sampleCities(index, count, 1)
  const contenders = {
    'exact name': () => time(index, exact),
    'misspelt name': () => time(index, misspelt(exact, 2)),
  }
  log(`${count} names`)
  const taken = await inTurn(contenders, quick ? 1 : 5)
  const measures = Object.entries(taken).flatMap(([group, spreads]) =>
    Object.entries(spreads).map(([name, spread]) => measure(group, `postrie, ${name}`, 'µs', spread)),
  )
  return {
    measures,
    ratios: [],
    charts: [CHART],
    notes: ['Names are drawn from all places of the world alike.'],
  }
}

const CHART = {
  file: 'city',
  title: 'City search',
  description: 'Microseconds per search in an index of the world.',
  unit: 'µs',
  lessIsBetter: true,
}

async function time(
  index: PostalIndex,
  cities: readonly SampleCity[],
): Promise<{ median: number; p99: number }> {
  const { Bench } = load<Tinybench>('tinybench')
  let next = 0
  let found = 0
  const bench = new Bench({ time: 0, iterations: cities.length, warmup: false, retainSamples: true })
  bench.add('search', () => {
    const { country, city, ST } = cities[next++ % cities.length]
    const there = countryByText(index, country)
    if (there && searchCity(index, there, { city, state: undefined, stateCode: ST }) !== undefined) found++
  })
  const [{ result }] = await bench.run()
  if (found === 0) throw new Error('no city was found: nothing was measured')
  return { median: result.latency.p50 * 1000, p99: result.latency.p99 * 1000 }
}
