/**
 * Overlapping commands over the operator's socket, signed Stripe webhooks and forms of the dashboard, until a SIGKILL, round after round.
 * Then the ledger is replayed by the naive model, and must be one order of the commands that fits their answers. Starts and compactions
 * are killed, too. Nightly:
 *
 *   OVERLAP_ROUNDS=300 node dist/test/billing/ledger/overlap.test.js
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { balanceMicros } from '../../../src/billing/ledger/book/record.ts'
import { ledgerFolder } from '../../../src/billing/ledger/disk/files.ts'
import { nodeFileSystem } from '../../../src/billing/ledger/disk/node-file-system.ts'
import { recover } from '../../../src/billing/ledger/recover.ts'
import { showLedger } from '../../../src/billing/ledger/tools/show.ts'
import { verifyLedger } from '../../../src/billing/ledger/tools/verify-ledger.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { askServer } from '../../../src/console/operator/operator-client.ts'
import { OperatorError } from '../../../src/console/operator/operator-error.ts'
import { Browser } from '../../support/dashboard.ts'
import { CLI, readyServer, spawnServer, type TestServer } from '../../support/processes.ts'
import { seededChoices } from '../../support/random.ts'
import {
  deliver,
  message,
  paidSession,
  type StripeStandIn,
  startStripe,
} from '../../support/stripe-stand-in.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ModelAccount, ModelKey } from '../accounts/model.ts'
import { FLOOD_CONNECTIONS, flood, SERVED } from './data-folder.ts'

const ROUNDS = Number(process.env.OVERLAP_ROUNDS ?? 4)
const random = seededChoices(Number(process.env.OVERLAP_SEED ?? 1))
const OPERATOR = 'ops@example.org'
/** Commands of a round that overlap, besides one form. */
const IN_FLIGHT = 8
const ANSWERS_MAX = 60
const MICROS_PER_CENT = 10_000
/** Requests for each customer in a round. */
const FLOOD = 2000
/** Latest moment at which a start is killed. */
const START_MS_MAX = 800
/** Moments at which compactions are killed. The last one ends by itself. */
const COMPACTION_MS = [100, 250, 400, null]

t.setTimeout(Number(process.env.OVERLAP_TIMEOUT ?? 3600) * 1000)

/** Change of an account by a reference, asked for by any number of commands. */
interface Change {
  readonly account: string
  readonly kind: 'credit' | 'adjust' | 'closed'
  readonly micros: number
  /** Moments of the first request, and of the first answer that it is applied. */
  readonly askedAt: number
  answeredAt: number
  /** True while no command may have applied it. */
  isRefused: boolean
  /** Micros that answers of a closing name. */
  readonly taken: number[]
}

interface Customer {
  id: string
  key: string
  secret: string
  answered: number
  capMicros: number
  perDay: number
}

type Ask = (name: string, params: object) => Promise<Record<string, unknown>>

/** Resolves with true if the change is applied, with false if it is refused. Rejects if the outcome is unknown. */
type Door = (change: Change, reference: string) => Promise<boolean>

const changes = new Map<string, Change>()
const customers: Customer[] = []
const counts = { answers: 0, unanswered: 0, repeated: 0, refused: 0, closed: 0, debts: 0, charged: 0 }
let moment = 0

t.test(`${ROUNDS} kills under overlapping commands leave books that fit all answers`, async t => {
  const dir = temporaryFolder(t)
  const stripe = await startStripe(t)
  const env = { ...SERVED, ...stripe.env, OPERATORS: OPERATOR, DEVELOPMENT_SIGN_IN: '1' }
  // Which commands meet is left to chance: a short run goes on until a debt was among them.
  for (let round = 1; round <= ROUNDS || (counts.debts === 0 && round <= 4 * ROUNDS); round++) {
    if (random.chance(0.5)) await killStart(dir, env)
    const server = await readyServer(spawnServer(dir, env))
    const ask: Ask = async (name, params) => {
      const answer = await askServer(join(dir, 'control.sock'), name, params)
      if (!answer.reached) throw new Error('the server is gone')
      return answer.result as Record<string, unknown>
    }
    const present = [await addCustomer(ask), await addCustomer(ask)]
    const form = await formDoor(server)
    const socket = socketDoor(ask)
    const doors = [
      form,
      ...Array.from({ length: IN_FLIGHT }, (_, nth) => (nth % 2 ? socket : webhookDoor(server, stripe))),
    ]
    const enough = counts.answers + 1 + random.below(ANSWERS_MAX)
    const floods = present.map(async customer => {
      customer.answered = await flood(server, customer.secret, FLOOD).catch(() => 0)
    })
    const commands = doors.map(async door => {
      while (await attempt(door, socket, random.pick(present).id))
        if (counts.answers >= enough) server.child.kill('SIGKILL')
    })
    await Promise.all([...commands, ...floods])
    await server.ended
    try {
      await check(dir)
    } catch (error) {
      t.fail(`round ${round}: ${String(error)}`)
    }
  }
  const before = await books(dir)
  for (const killMs of COMPACTION_MS) {
    await compact(dir, killMs)
    t.not((await verifyLedger(dir)).status, 'damaged')
    t.same(await books(dir), before, `after a compaction of ${killMs ?? 'any'} ms`)
  }
  t.comment(counts)
  t.ok(counts.answers > ROUNDS && counts.debts > 0 && counts.charged > 0)
})

async function addCustomer(ask: Ask): Promise<Customer> {
  const { id } = await ask('account.create', { email: `customer-${++moment}@example.org` })
  const { id: key, key: secret } = await ask('key.create', { account: id })
  const [capUsd, perDay] = [10 + random.below(90), 1_000_000 + random.below(1_000_000)]
  await ask('key.cap', { key, usd: `${capUsd}` })
  await ask('account.limits', { account: id, perDay })
  const set = { capMicros: capUsd * 1_000_000, perDay }
  const customer = { id: `${id}`, key: `${key}`, secret: `${secret}`, answered: 0, ...set }
  customers.push(customer)
  return customer
}

/** Asks for a new change, or again for an earlier one. Returns false once the server is gone. */
async function attempt(door: Door, socket: Door, account: string): Promise<boolean> {
  const asked = [...changes].filter(([, change]) => change.account === account)
  const isRepeated = asked.length > 0 && random.chance(0.2)
  const kind = random.chance(0.02) ? 'closed' : random.pick(['credit', 'adjust'] as const)
  const fresh = kind === 'closed' ? `closed:${account}` : `stripe:${kind}_${++moment}`
  const reference = isRepeated ? random.pick(asked)[0] : fresh
  const change = changes.get(reference) ?? {
    account,
    kind,
    micros: (1 + random.below(5)) * MICROS_PER_CENT,
    askedAt: ++moment,
    answeredAt: Number.POSITIVE_INFINITY,
    isRefused: true,
    taken: [],
  }
  changes.set(reference, change)
  try {
    const isApplied = await (change.kind === 'closed' ? socket : door)(change, reference)
    counts.answers++
    if (isRepeated) counts.repeated++
    if (isApplied) change.answeredAt = Math.min(change.answeredAt, ++moment)
    else counts.refused++
    change.isRefused &&= !isApplied
    return true
  } catch {
    counts.unanswered++
    change.isRefused = false
    return false
  }
}

function socketDoor(ask: Ask): Door {
  return async ({ account, kind, micros, taken }, reference) => {
    try {
      if (kind === 'closed') {
        const closed = await ask('account.close', { account, reason: 'a test' })
        taken.push(Math.round(Number(closed.taken) * 1_000_000))
      } else {
        const name = kind === 'credit' ? 'account.credit' : 'account.refund'
        const { balance, debt = 0 } = await ask(name, { account, usd: dollarsOf(micros), reference })
        assert.ok(balance === 0 || debt === 0, `an answer has a balance of ${balance} and a debt of ${debt}`)
      }
      return true
    } catch (error) {
      if (error instanceof OperatorError && error.code !== 'unavailable') return false
      throw error
    }
  }
}

function webhookDoor({ dashboard }: TestServer, { payments }: StripeStandIn): Door {
  return async ({ account, kind, micros }, reference) => {
    const id = reference.slice('stripe:'.length)
    const cents = micros / MICROS_PER_CENT
    const payment = `payment_${id}`
    payments.set(payment, { account, cents: `${cents}` })
    const refund = { id, status: 'succeeded', amount: cents, currency: 'usd', payment_intent: payment }
    const text =
      kind === 'credit'
        ? message(
            'checkout.session.completed',
            paidSession(account, { amount_total: cents, payment_intent: id }),
          )
        : message('refund.created', refund)
    const status = await deliver(dashboard, text)
    if (status !== 200) throw new Error(`the webhook answered ${status}`)
    return true
  }
}

/** Sends one form at a time, since the session shows the outcome of its last one. */
async function formDoor({ dashboard, entrance }: TestServer): Promise<Door> {
  const browser = new Browser(dashboard)
  await browser.visit(entrance)
  await browser.signIn(OPERATOR)
  return async ({ account, kind, micros }, reference) => {
    const page = `/operator/accounts/${account}`
    const usd = dollarsOf(micros)
    const form = `${page}/${kind === 'credit' ? 'credit' : 'refund'}`
    const answer = await browser.submit(page, form, { usd, again: usd, reference })
    if (answer.status >= 500) throw new Error(`the form answered ${answer.status}`)
    if (answer.status !== 303) return false
    const { text } = await browser.visit(answer.headers.get('Location') ?? page)
    return /(Credited|Refund recorded)\. The balance is|this reference has been used before/.test(text)
  }
}

function dollarsOf(micros: number): string {
  return (micros / 1_000_000).toFixed(2)
}

/** Replays the ledger with the model. Each entry was asked for, is there once, fits the answers, and has the model's effect. */
async function check(dir: string): Promise<void> {
  const { status, problems, notes } = await verifyLedger(dir)
  assert.ok(status !== 'damaged' && notes.length === 0, [...problems, ...notes].join('; '))
  const models = new Map(customers.map(({ id, key }) => [id, modelOf(id, key)]))
  const lastAskedAt = new Map<ModelAccount, number>()
  const found = new Set<string>()
  counts.debts = 0
  for await (const { kind, account, micros, details } of showLedger(dir)) {
    const model = models.get(account ?? '')
    if (model === undefined) continue
    if (kind === 'usage') charge(model, -micros / QUERY_PRICE_MICROS)
    if (kind !== 'credit' && kind !== 'adjust' && kind !== 'closed') continue
    const reference = String(details.reference)
    assert.ok(!found.has(reference), `${reference} is applied twice`)
    found.add(reference)
    const [balance, debt] = [model.balanceMicros(), model.debtMicros]
    if (kind === 'credit') model.credit(Number(details.micros))
    else if (kind === 'adjust') model.adjust(Number(details.micros))
    else model.entries.push(-balance)
    assert.equal(micros + 0, model.balanceMicros() - balance, `the effect of ${reference}`)
    if (kind === 'credit')
      assert.equal(details.debtPaidMicros, debt - model.debtMicros, `the debt paid by ${reference}`)
    expectOne(model.balanceMicros(), model.debtMicros)
    if (model.debtMicros > 0) counts.debts++
    if (reference === `free:${account}`) continue
    const change = changes.get(reference)
    assert.ok(
      change?.account === account && change?.kind === kind && !change.isRefused,
      `${reference} was not to be applied`,
    )
    if (kind !== 'closed') assert.equal(details.micros, change.micros)
    for (const taken of change.taken) assert.equal(taken, balance, 'an answer names what the closing took')
    assert.ok(
      change.answeredAt > (lastAskedAt.get(model) ?? 0),
      `${reference} was answered before an entry before it was asked for`,
    )
    lastAskedAt.set(model, Math.max(change.askedAt, lastAskedAt.get(model) ?? 0))
  }
  for (const [reference, { answeredAt }] of changes)
    assert.ok(found.has(reference) || answeredAt === Number.POSITIVE_INFINITY, `${reference} is lost`)
  counts.closed = [...found].filter(reference => reference.startsWith('closed:')).length

  const { book, unbookedRows, notes: complaints } = await recover(nodeFileSystem, ledgerFolder(dir))
  assert.deepEqual(complaints, [], 'a start would complain')
  for (const [id, model] of models) {
    const account = book.accounts.get(id)
    assert.ok(account)
    assert.deepEqual([balanceMicros(account), account.debtMicros], [model.balanceMicros(), model.debtMicros])
  }
  book.apply({ kind: 'usage', rows: unbookedRows }, Date.now(), Number.MAX_SAFE_INTEGER)
  counts.charged = 0
  for (const { id, key, answered, capMicros, perDay } of customers) {
    const account = book.accounts.get(id)
    assert.equal(book.keys.get(key)?.capMicros, capMicros, `the cap of ${key}`)
    assert.equal(account?.limits?.perDay, perDay, `the limits of ${id}`)
    expectOne(account === undefined ? -1 : balanceMicros(account), account?.debtMicros ?? 0)
    const queries = book.keys.get(key)?.queries.reduce((sum, count) => sum + count, 0) ?? 0
    assert.ok(queries >= answered && queries <= answered + FLOOD_CONNECTIONS, `${queries} for ${answered}`)
    counts.charged += queries
  }
}

/** Returns balance, debt and queries of each customer. */
async function books(dir: string) {
  const { book, unbookedRows } = await recover(nodeFileSystem, ledgerFolder(dir))
  book.apply({ kind: 'usage', rows: unbookedRows }, Date.now(), Number.MAX_SAFE_INTEGER)
  return customers.map(({ id, key }) => {
    const account = book.accounts.get(id)
    return [account && balanceMicros(account), account?.debtMicros, book.keys.get(key)?.queries]
  })
}

/** Kills a start, mostly during recovery. */
async function killStart(dir: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawnServer(dir, env)
  const closed = once(child, 'close')
  await new Promise(resolve => setTimeout(resolve, random.below(START_MS_MAX)))
  child.kill('SIGKILL')
  await closed
}

/** Compacts the ledger, or kills the compaction after `killMs`. */
async function compact(dir: string, killMs: number | null): Promise<void> {
  const child = spawn(process.execPath, [CLI, 'ledger', 'compact'], {
    env: { ...process.env, DATA_DIR: dir },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const timer = killMs === null ? undefined : setTimeout(() => child.kill('SIGKILL'), killMs)
  const [code, signal] = await once(child, 'exit')
  clearTimeout(timer)
  assert.ok(code === 0 || signal === 'SIGKILL', `the compaction ended with ${code}`)
}

function modelOf(id: string, keyId: string): ModelAccount {
  const model = new ModelAccount(id)
  model.keys.push(new ModelKey(model, '', keyId))
  return model
}

function charge(model: ModelAccount, queries: number): void {
  model.keys[0]?.charges.push({ timeMs: 0, usage: 0, queries })
}

function expectOne(balanceMicros: number, debtMicros: number): void {
  const isSound = balanceMicros >= 0 && debtMicros >= 0 && (balanceMicros === 0 || debtMicros === 0)
  assert.ok(isSound, `a balance of ${balanceMicros} and a debt of ${debtMicros}`)
}
