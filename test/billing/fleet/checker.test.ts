/**
 * Checks the rules of the leases in every order of steps, and in random longer ones. PostgreSQL must do the same.
 * CHECKER_DEPTH, CHECKER_WALKS and CHECKER_SQL_WALKS go further.
 */
import t from 'tap'
import { stopSharedPostgres } from '../../support/postgres.ts'
import { seededRandom } from '../../support/random.ts'
import { replay } from './checked-postgres.ts'
import { type Call, check, walk } from './checker.ts'
import { TestDatabase } from './test-database.ts'

const DEPTH = Number(process.env.CHECKER_DEPTH ?? 6)
const WALKS = Number(process.env.CHECKER_WALKS ?? 1000)
const SQL_WALKS = Number(process.env.CHECKER_SQL_WALKS ?? 20)
const STEPS = 40

t.setTimeout(3_600_000)

t.test(`every order of ${DEPTH} steps is sound`, async t => {
  const { states, failure } = check(DEPTH)
  t.equal(failure, null)
  t.comment(`${states} states`)
})

t.test(`${WALKS} random orders of ${STEPS} steps are sound`, async t => {
  for (let seed = 1; seed <= WALKS; seed++) {
    const failure = walk(seededRandom(seed), STEPS)
    if (failure !== null) t.fail(`seed ${seed}: ${failure}`)
  }
})

t.test(`PostgreSQL does in ${SQL_WALKS} random orders what the rules do`, async t => {
  const database = await TestDatabase.open()
  const reached = new Set<string>()
  for (let seed = 1, walks = 0; walks < SQL_WALKS; seed++) {
    const calls: Call[] = []
    walk(seededRandom(seed), STEPS, calls)
    const refusals = refusalsIn(calls)
    // Half of the walks have one.
    if (walks >= SQL_WALKS / 2 && refusals.length === 0) continue
    walks++
    for (const refusal of refusals) reached.add(refusal)
    await replay(database, calls).catch(error => t.fail(`seed ${seed}: ${error}`))
  }
  t.equal(reached.size, 2)
  await database.close()
  await stopSharedPostgres()
})

/** Returns rare refusals: of a want that no returned lease would pay, and of a node that has a part of the counter itself. */
function refusalsIn(calls: readonly Call[]): ('for good' | 'beside a lease')[] {
  return calls.flatMap(({ node, message, answer, after }) =>
    (message?.wants ?? []).flatMap(({ holder, kind, needed }) => {
      const isOf = (one: { holder: number; kind: number }) => one.holder === holder && one.kind === kind
      const counter = after.counters.find(isOf)
      if (needed === 0 || counter === undefined || answer?.shares.find(isOf)?.granted !== 0) return []
      const leases = after.leases.filter(lease => isOf(lease) && lease.period === counter.period)
      const own = leases.find(lease => lease.node === node)?.amount ?? 0
      const others = counter.leased - own
      if (others > 0 && needed > counter.most - counter.used - own) return ['for good']
      return own > 0 && others > 0 ? ['beside a lease'] : []
    }),
  )
}
