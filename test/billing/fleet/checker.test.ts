/**
 * Checks the rules of the leases in every order of steps, and in random longer ones. PostgreSQL must do the same. Then each rule is broken,
 * in memory and in PostgreSQL, and the checker must notice. CHECKER_DEPTH, CHECKER_WALKS and CHECKER_SQL_WALKS go further.
 */
import t from 'tap'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { stopSharedPostgres } from '../../support/postgres.ts'
import { seededRandom } from '../../support/random.ts'
import { RULES, type Rules } from './checked-database.ts'
import { replay } from './checked-postgres.ts'
import { type Call, check, type NodeFaults, walk } from './checker.ts'
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
    walk(seededRandom(seed), STEPS, RULES, {}, calls)
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
      if (needed === 0 || counter === undefined || answer?.grants.find(isOf)?.granted !== 0) return []
      const leases = after.leases.filter(lease => isOf(lease) && lease.period === counter.period)
      const own = leases.find(lease => lease.node === node)?.amount ?? 0
      const others = counter.leased - own
      if (others > 0 && needed > counter.most - counter.used - own) return ['for good']
      return own > 0 && others > 0 ? ['beside a lease'] : []
    }),
  )
}

const MUTANTS: Record<string, Partial<Rules>> = {
  'grants more than is free': {
    grant(state, node, wants) {
      for (const counter of state.counters) counter.most += QUERY_PRICE_MICROS
      const granted = RULES.grant(state, node, wants)
      for (const counter of state.counters) counter.most -= QUERY_PRICE_MICROS
      return granted
    },
  },
  'frees used queries': {
    takeBack: (state, node, taken) =>
      RULES.takeBack(
        state,
        node,
        taken.map(one => ({ ...one, used: 0, returned: one.returned + one.used })),
      ),
  },
  'forgets reports': {
    report(state, node, counts) {
      const known = state.usage[node]
      RULES.report(state, node, counts)
      state.usage[node] = known
    },
  },
  'frees the windows of silent nodes': {
    expire(state) {
      const used = state.counters.map(counter => counter.used)
      RULES.expire(state)
      for (const [at, counter] of state.counters.entries()) counter.used = used[at]
    },
  },
  'frees the windows of restarted nodes': {
    recover(state, node, queries) {
      const used = state.counters.map(counter => counter.used)
      RULES.recover(state, node, queries)
      for (const [at, counter] of state.counters.entries()) if (counter.kind >= 2) counter.used = used[at]
    },
  },
  'charges nothing at a start': { recover: (state, node) => RULES.recover(state, node, state.usage[node]) },
  'answers a repetition again': {
    repeated: (state, node, message) =>
      message.number === state.nodes[node].number ? null : RULES.repeated(state, node, message),
  },
  'ends no leases with a period': {
    beginPeriods(state) {
      const leased = state.counters.map(counter => counter.leased)
      RULES.beginPeriods(state)
      for (const [at, counter] of state.counters.entries()) counter.leased = leased[at]
    },
  },
}

const NODE_MUTANTS: Record<string, NodeFaults> = {
  'adds a grant twice': { addsTwice: true },
  'keeps what it returns': { keepsReturned: true },
  'takes what it does not have': { takesUnchecked: true },
  'shows an older balance': { forgetsOrder: true },
}

t.test('each broken rule is noticed', async t => {
  const notices = (rules: Rules, faults: NodeFaults) => {
    for (let seed = 1; seed <= 2000; seed++) {
      const failure = walk(seededRandom(seed), STEPS, rules, faults)
      if (failure !== null) return failure
    }
    return null
  }
  for (const [name, broken] of Object.entries(MUTANTS))
    t.not(notices({ ...RULES, ...broken }, {}), null, `the database ${name}`)
  for (const [name, faults] of Object.entries(NODE_MUTANTS))
    t.not(notices(RULES, faults), null, `a node ${name}`)
})

/** Faults of functions in PostgreSQL: the name of the function, a part of its text, and what replaces it. */
const SQL_MUTANTS = [
  ['begin_periods', 'leased = 0', 'leased = leased'],
  ['report', 'total(added) * price as used', '0 as used'],
  ['cover_counts', '- held as micros', 'as micros'],
  ['cover_counts', 'c.used - c.leased', 'c.used'],
  ['cover_counts', 'known + queries', 'known'],
  ['settle_counts', 'me.is_written_off', 'false'],
  ['release_leases', 'case when f.kind < 2 then 0 else f.amount end', '0'],
  ['take_back', 'c.used + g.used', 'c.used'],
  ['expire_windows', 'c.used + s.amount', 'c.used'],
  ['grant_wants', 'needed > free', 'needed > free + unit'],
  ['grant_wants', 'u.free + u.leased_elsewhere', 'u.free'],
  ['grant_wants', 'where u.account = w.account', 'where u.holder = w.holder and u.kind = w.kind'],
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
      walk(seededRandom(seed), STEPS, RULES, {}, calls)
      isNoticed = await replay(database, calls).then(
        () => false,
        () => true,
      )
    }
    t.ok(isNoticed, `${name} with ${instead} in place of ${part}`)
    await database.query(source)
  }
})
