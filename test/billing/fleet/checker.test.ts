/**
 * Checks the rules of the leases in every order of steps, and in random longer ones. PostgreSQL must do the same. Then each
 * of its functions is broken, and the walks must notice. CHECKER_DEPTH, CHECKER_WALKS and CHECKER_SQL_WALKS go further.
 */
import t from 'tap'
import { stopSharedPostgres } from '../../support/postgres.ts'
import { seededRandom } from '../../support/random.ts'
import { replay } from './checked-postgres.ts'
import { type Call, check, walk } from './checker.ts'
import { openTestDatabase } from './test-database.ts'

const DEPTH = Number(process.env.CHECKER_DEPTH ?? 6)
const WALKS = Number(process.env.CHECKER_WALKS ?? 1000)
const SQL_WALKS = Number(process.env.CHECKER_SQL_WALKS ?? 20)
const STEPS = 40

t.setTimeout(3_600_000)
t.teardown(stopSharedPostgres)

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
  const database = await openTestDatabase(t)
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

/** Faults of functions in PostgreSQL: the name of the function, a part of its text, and what replaces it. */
const SQL_MUTANTS = [
  ['begin_periods', 'leased = 0', 'leased = leased'],
  ['report', 'c.used + b.amount', 'c.used'],
  ['cover_counts', '- held as micros', 'as micros'],
  ['cover_counts', 'c.used - c.leased', 'c.used'],
  ['cover_counts', 'known + queries', 'known'],
  ['settle_counts', 'me.is_written_off', 'false'],
  ['release_leases', 'case when f.kind < 2 then 0 else f.amount end', '0'],
  ['take_back', 'c.used + g.used', 'c.used'],
  ['expire_windows', 'c.used + s.amount', 'c.used'],
  ['grant_wants', 'needed > free', 'needed > free + unit'],
  ['grant_wants', 'r.free + r.others_hold', 'r.free'],
  ['grant_wants', 'where r.account = w.account', 'where r.holder = w.holder and r.kind = w.kind'],
  ['exchange', 'of_number = me.exchange_number', 'false'],
] as const

t.test('each broken function of PostgreSQL is noticed', async t => {
  const database = await openTestDatabase(t)
  for (const [name, part, instead] of SQL_MUTANTS) {
    const [row] = await database.query('select pg_get_functiondef($1::regproc) as source', [name])
    const source = String(row.source)
    t.match(source, part)
    await database.query(source.replace(part, instead))
    let isNoticed = false
    for (let seed = 1; seed <= 100 && !isNoticed; seed++) {
      const calls: Call[] = []
      walk(seededRandom(seed), STEPS, calls)
      isNoticed = await replay(database, calls).then(
        () => false,
        () => true,
      )
    }
    t.ok(isNoticed, `${name} with ${instead} in place of ${part}`)
    await database.query(source)
  }
})
