/** Is this checkout faster or slower than another one, in the same run? */
import { writeBodies } from '../http/bodies.ts'
import { loadService, PROCESSOR, REQUESTS } from '../http/load.ts'
import { ENDPOINTS } from '../http/setup.ts'
import { worldIndex } from '../input/worlds.ts'
import { ROOT_FOLDER } from '../paths.ts'
import { type Answer, type Measure, measure, type Options, type Question, type Ratio } from '../question.ts'
import { inTurn } from '../rounds.ts'
import { percentile, ratioOf } from '../statistics.ts'
import { Checkout } from '../versions/checkout.ts'
import { keepAnswered } from '../versions/keep-answered.ts'

const CONNECTIONS = 64
const ROUNDS = 9
/** Questions that each checkout asks itself, a process at a time. */
const OWN_QUESTIONS = ['index', 'bulk', 'ledger']
const OWN_ROUNDS = 3
const WANTED = '>= 0.97'

export const versions: Question = {
  name: 'versions',
  text: 'this checkout and the one that --against names, in turn: each endpoint over HTTP, then index, bulk and ledger in process',
  rivals: true,
  isAskedByName: true,
  run: runVersions,
}

async function runVersions({ quick, log, against }: Options): Promise<Answer> {
  if (against === undefined)
    throw new Error('the question versions needs --against=<a compiled checkout of postrie>')
  const checkouts = { this: new Checkout(ROOT_FOLDER), that: new Checkout(against) }
  const overHttp = await compareServices(checkouts, quick, log)
  const inProcess = compareQuestions(checkouts, quick ? 1 : OWN_ROUNDS, log)
  return {
    measures: overHttp.measures,
    ratios: [...overHttp.ratios, ...inProcess],
    charts: [],
    notes: [
      `"This" is the checkout whose command was run, "that" is ${against}; above 1, this one is better.`,
      `Each serves an index of its own builder. Over HTTP: the median of ${ROUNDS} ratios, round by round.`,
    ],
  }
}

type Checkouts = Readonly<Record<'this' | 'that', Checkout>>
type Say = Options['log']

async function compareServices(
  checkouts: Checkouts,
  quick: boolean,
  log: Say,
): Promise<{ measures: Measure[]; ratios: Ratio[] }> {
  const bodies = writeBodies(worldIndex())
  const measures: Measure[] = []
  const ratios: Ratio[] = []
  log('building an index with each, then starting both')
  const [one, other] = await Promise.all(
    [checkouts.this, checkouts.that].map(checkout => checkout.serve(checkout.index('world'))),
  )
  try {
    for (const endpoint of ENDPOINTS) {
      const left = await keepAnswered(bodies[endpoint].file, endpoint, [one, other])
      log(`${endpoint}, ${CONNECTIONS} connections, ${left} bodies`)
      const run = (service: typeof one) => async () => {
        const sample = await loadService(service, endpoint, CONNECTIONS, bodies[endpoint].file, quick ? 1 : 3)
        return { [REQUESTS]: sample[REQUESTS], [PROCESSOR]: sample[PROCESSOR] }
      }
      const taken = await inTurn({ this: run(one), that: run(other) }, quick ? 1 : ROUNDS)
      for (const name of ['this', 'that'] as const) {
        for (const [unit, spread] of Object.entries(taken[name]))
          measures.push(measure(endpoint, name, unit, spread))
      }
      ratios.push(
        {
          text: `${endpoint}: requests/s of this against that`,
          value: ratioOf(taken.this[REQUESTS], taken.that[REQUESTS]),
          wanted: WANTED,
        },
        {
          text: `${endpoint}: processor time of that against this`,
          value: ratioOf(taken.that[PROCESSOR], taken.this[PROCESSOR]),
        },
      )
    }
  } finally {
    await Promise.all([one.end(), other.end()])
  }
  return { measures, ratios }
}

/** Has each checkout ask its own questions in turn, and compares what both of them measured. */
function compareQuestions(checkouts: Checkouts, rounds: number, log: Say): Ratio[] {
  return OWN_QUESTIONS.flatMap(question => {
    const taken = Array.from({ length: rounds }, (_, round) => {
      log(`${question} in process, round ${round + 1} of ${rounds}`)
      return { this: checkouts.this.ask(question), that: checkouts.that.ask(question) }
    })
    return [...taken[0].this.keys()]
      .filter(name => taken[0].that.has(name))
      .map((name): Ratio => {
        const values = taken.map(round => {
          const mine = round.this.get(name)
          const theirs = round.that.get(name)
          if (mine === undefined || theirs === undefined)
            throw new Error(`${name} was not measured in every round`)
          const ratio = mine.median / theirs.median
          return /\/s$/.test(mine.unit) ? ratio : 1 / ratio
        })
        return { text: `${question}: ${name}`, value: percentile(values, 0.5), wanted: WANTED }
      })
  })
}
