/** Automatic recharges against a stand-in of Stripe that declines, forgets to answer, and takes its time. */
import t, { type Test } from 'tap'
import { Accounts } from '../../src/accounts/accounts.ts'
import { AutoRecharge, RECHARGE_UNKNOWN_MS_MAX } from '../../src/control/payments/auto-recharge.ts'
import { createStripe } from '../../src/control/payments/checkout.ts'
import { createLog } from '../../src/platform/log.ts'
import { deliver, message, type StripeStandIn, startShop, startStripe } from '../support/stripe-stand-in.ts'
import { openTestRows } from '../support/test-fleet.ts'
import { until } from '../support/until.ts'

const EMAIL = 'ada@example.com'
const FREE = 28_000
const AMOUNTS = { thresholdMicros: 5_000_000, amountMicros: 20_000_000, monthMaxMicros: 50_000_000 }

interface World {
  stripe: StripeStandIn
  accounts: Accounts
  auto: AutoRecharge
  /** The account. */
  id: string
  notes: string[]
  clock: { nowMs: number }
  /** Stops without waiting for anything, as a kill would, and opens the plans again. */
  restart(): Promise<void>
  /** As if so many dollars had been spent. */
  spend(micros: number): Promise<void>
}

async function start(t: Test): Promise<World> {
  const stripe = await startStripe(t)
  const dir = t.testdir()
  const accounts = await Accounts.open({ dir })
  t.teardown(() => accounts.close())
  const { id } = await accounts.createAccount({ email: EMAIL })
  const client = await createStripe({
    secretKey: 'sk_test_x',
    webhookSecret: 'x',
    apiUrl: stripe.env.STRIPE_API_URL ?? '',
    tax: false,
  })
  const notes: string[] = []
  const clock = { nowMs: Date.UTC(2026, 1, 3) }
  const alerts = {
    report: (_: string, kind: string, text: string) => void notes.push(`${kind}: ${text}`),
    addEmailAlert: async () => {},
  }
  const shared = await openTestRows(dir)
  const open = () =>
    AutoRecharge.open({
      accounts,
      stripe: client,
      alerts,
      audit: { record: () => {} },
      log: createLog('silent'),
      dataDir: dir,
      sharedRows: shared?.rows,
      retryMs: [1],
      turnMs: 2,
      nowMs: () => clock.nowMs++,
    })
  let spent = 0
  const world: World = {
    stripe,
    accounts,
    auto: await open(),
    id,
    notes,
    clock,
    async restart() {
      await world.auto.close()
      world.auto = await open()
    },
    async spend(micros) {
      await accounts.adjust({ account: id, micros, reference: `spent ${++spent}`, kind: 'refund' })
    },
  }
  t.teardown(async () => {
    await world.auto.close()
    await shared?.close()
  })
  await world.auto.change(id, { customer: 'cus_1', card: { id: 'pm_1', text: 'Visa ending in 4242' } })
  return world
}

const balance = ({ accounts }: World) => accounts.account(EMAIL)?.balanceMicros ?? 0
const isSettled = ({ auto, id }: World) => auto.planOf(id).attempt === null

t.test('a balance below the threshold is recharged, once for each fall', async t => {
  const world = await start(t)
  const { stripe, auto, id } = world
  await auto.turnOn(id, AMOUNTS)
  await until(() => balance(world) === FREE + 20_000_000 && isSettled(world))
  t.equal(stripe.intents.size, 1)
  t.match([...stripe.intents.values()], [{ amount: 2000, customer: 'cus_1', metadata: { account: id } }])
  await world.spend(10_000_000)
  await world.spend(5_020_000)
  // Turns go by above the threshold.
  await until(() => world.clock.nowMs % 50 === 0)
  t.equal(stripe.intents.size, 1, 'nothing is paid above the threshold')
  await world.spend(1_000_000)
  await until(() => stripe.intents.size === 2 && isSettled(world))
  t.equal(auto.planOf(id).monthMicros, 40_000_000)
  t.equal(new Set(stripe.asked).size, stripe.asked.length, 'each was asked for once')
  t.match(world.notes, [/recharge.done: \$20.00/, /recharge.done/])
  t.match(world.accounts.statement(id).at(-1), { kind: 'payment', note: 'automatic recharge' })
})

t.test('the bound of a month holds, is reported once, and ends with the month', async t => {
  const world = await start(t)
  const { stripe, auto, id } = world
  await auto.turnOn(id, AMOUNTS)
  for (let n = 1; n <= 2; n++) {
    await until(() => stripe.intents.size === n && isSettled(world))
    await world.spend(balance(world) - 1_000_000)
  }
  await until(() => world.notes.some(note => /bound of \$50\.00 a month/.test(note)))
  await world.spend(500_000)
  await world.restart()
  await world.spend(100_000)
  t.equal(stripe.intents.size, 2, 'a third would be $60')
  t.equal(world.notes.filter(note => note.includes('bound')).length, 1)
  world.clock.nowMs = Date.UTC(2026, 2, 1)
  await until(() => stripe.intents.size === 3)
})

t.test('a declined card turns it off with an alert, and is not asked again', async t => {
  for (const fate of ['declined', 'confirm', 'unknown card'] as const) {
    await t.test(fate, async t => {
      const world = await start(t)
      const { stripe, auto, id } = world
      stripe.fate = fate
      await auto.turnOn(id, AMOUNTS)
      await until(() => world.notes.length > 0)
      t.match(auto.planOf(id), { isOn: false, attempt: null, monthMicros: 0, problem: /has been turned off/ })
      t.match(world.notes, [/^recharge.failed: Automatic recharge has been turned off/])
      for (const { status } of stripe.intents.values())
        t.equal(status, 'canceled', 'nobody can confirm it later')
      await world.spend(1000)
      await world.restart()
      await world.spend(1000)
      t.equal(stripe.asked.length, 1)
      t.equal(balance(world), FREE - 2000)
      stripe.fate = 'paid'
      await world.auto.turnOn(id, AMOUNTS)
      await until(() => balance(world) > 20_000_000)
    })
  }
})

t.test('a lost answer is asked for again with the same key, also after a restart', async t => {
  const world = await start(t)
  const { stripe, id } = world
  stripe.fate = 'lost'
  await world.auto.turnOn(id, AMOUNTS)
  await until(() => stripe.asked.length >= 3)
  await world.restart()
  t.equal(balance(world), FREE, 'nobody knows yet that it is paid')
  stripe.fate = 'paid'
  await until(() => isSettled(world))
  t.equal(new Set(stripe.asked).size, 1, `one key in ${stripe.asked.length} requests`)
  t.equal(stripe.intents.size, 1)
  t.equal(balance(world), FREE + 20_000_000)
})

t.test('the message of a payment and its answer credit it once, whichever comes first', async t => {
  const world = await start(t)
  const { stripe, auto, id } = world
  stripe.fate = 'lost'
  await auto.turnOn(id, AMOUNTS)
  await until(() => stripe.intents.size === 1)
  const recharge = auto.planOf(id).attempt?.id ?? ''
  const paid = { state: 'paid', intent: 'pi_auto1' } as const
  await Promise.all([auto.settleReported(id, recharge, paid), auto.settleReported(id, recharge, paid)])
  stripe.fate = 'paid'
  await auto.settleReported(id, recharge, paid)
  t.equal(balance(world), FREE + 20_000_000)
  t.ok(isSettled(world))
  t.equal(world.notes.length, 1)
  await auto.settleReported(id, recharge, { state: 'refused', intent: null, reason: 'late' })
  t.equal(auto.planOf(id).isOn, true, 'a late message about an ended attempt changes nothing')
})

t.test('an unknown outcome is not asked for with a key that Stripe may have forgotten', async t => {
  const world = await start(t)
  const { stripe, auto, id } = world
  stripe.fate = 'lost'
  await auto.turnOn(id, AMOUNTS)
  await until(() => stripe.asked.length > 0)
  world.clock.nowMs += RECHARGE_UNKNOWN_MS_MAX + 1
  await until(() => auto.planOf(id).problem !== '')
  const { length } = stripe.asked
  stripe.fate = 'paid'
  await world.spend(1000)
  await world.restart()
  t.equal(stripe.asked.length, length)
  t.match(world.auto.planOf(id), { isOn: false, attempt: null, monthMicros: 20_000_000 })
})

t.test('a payment that Stripe never made is not made any more after it was turned off', async t => {
  const changes: [name: string, change: (world: World) => Promise<unknown>][] = [
    ['turned off', ({ auto, id }) => auto.change(id, { isOn: false })],
    ['another card', ({ auto, id }) => auto.change(id, { card: { id: 'pm_2', text: 'another' } })],
    ['closed', ({ accounts, id }) => accounts.closeAccount(id, 'a test')],
    [
      'paid by hand',
      ({ accounts, id }) =>
        accounts.credit({ account: id, micros: 30_000_000, reference: 'by hand', kind: 'payment' }),
    ],
  ]
  for (const [name, change] of changes) {
    await t.test(name, async t => {
      const world = await start(t)
      const { stripe, auto, id } = world
      stripe.fate = 'down'
      await auto.turnOn(id, AMOUNTS)
      await until(() => stripe.asked.length > 0)
      const { attempt } = auto.planOf(id)
      await change(world)
      // What was asked before the change may still be on its way.
      await until(() => auto.planOf(id).attempt?.id !== attempt?.id)
      stripe.fate = 'paid'
      const from = world.clock.nowMs
      await until(() => world.clock.nowMs > from + 20)
      t.notOk(
        [...stripe.intents.values()].some(({ metadata }) => metadata.recharge === attempt?.id),
        'nothing is paid',
      )
    })
  }
})

t.test('a payment that Stripe has made before it was turned off is credited', async t => {
  const world = await start(t)
  const { stripe, auto, id } = world
  stripe.fate = 'lost'
  await auto.turnOn(id, AMOUNTS)
  await until(() => stripe.asked.length > 0)
  await auto.change(id, { isOn: false })
  const { length } = stripe.asked
  stripe.fate = 'paid'
  await until(() => isSettled(world))
  t.equal(balance(world), FREE + 20_000_000)
  t.ok(stripe.asked.length <= length + 1, 'it is looked for, and not asked for again')
})

t.test('a slow payment is waited for, and only one is made meanwhile', async t => {
  const world = await start(t)
  const { stripe, auto, id } = world
  stripe.fate = 'slow'
  await auto.turnOn(id, AMOUNTS)
  await until(() => auto.planOf(id).attempt?.intent === 'pi_auto1')
  await world.spend(1000)
  await world.restart()
  const intent = stripe.intents.get('pi_auto1')
  if (intent !== undefined) intent.status = 'succeeded'
  await until(() => isSettled(world))
  t.equal(stripe.intents.size, 1)
  t.equal(balance(world), FREE - 1000 + 20_000_000)
})

t.test('nothing is paid for an account that is suspended, in debt, off or without a card', async t => {
  const world = await start(t)
  const { stripe, accounts, auto, id } = world
  await accounts.suspend(id, 'a test')
  await auto.turnOn(id, AMOUNTS)
  await world.spend(FREE + 1)
  await accounts.resume(id, 'a test')
  const turns = async () => {
    const from = world.clock.nowMs
    await until(() => world.clock.nowMs > from + 20)
  }
  await turns()
  t.equal(accounts.account(id)?.debtMicros, 1, 'a refund beyond the balance')
  t.equal(stripe.asked.length, 0)
  await auto.change(id, { isOn: false })
  await accounts.credit({ account: id, micros: 1, reference: 'paid back', kind: 'operator' })
  await turns()
  t.equal(stripe.asked.length, 0, 'off')
  await auto.change(id, { isOn: true, card: null })
  await turns()
  t.equal(stripe.asked.length, 0, 'no card')
})

/** The session in which somebody has saved a card. */
const cardSession = (account: string) => ({
  id: 'cs_1',
  mode: 'setup',
  client_reference_id: account,
  customer: 'cus_1',
  setup_intent: 'seti_1',
})

t.test('the forms: a card, amounts, off, and the card removed', async t => {
  const { stripe, origin, accounts, ada, id } = await startShop(t)
  const amounts = { threshold: '$5', amount: '20.00', month: '50' }
  t.match(await ada.refused('/balance', '/balance/auto', amounts), 'Save a card first')
  const onward = await ada.submit('/balance', '/balance/auto/card')
  t.match((await ada.visit(onward.headers.get('Location') ?? '')).text, '0;url=https://pay.example/cs_1')
  t.match(Object.fromEntries(stripe.sessions[0] ?? []), {
    mode: 'setup',
    customer: 'cus_1',
    client_reference_id: id,
  })
  const session = cardSession(id)
  const eve = await accounts.createAccount({ email: 'eve@example.com' })
  const foreign = message('checkout.session.completed', { ...session, client_reference_id: eve.id })
  t.equal(await deliver(origin, foreign), 200)
  t.match((await ada.visit('/balance')).text, 'Save a card', 'a card of another customer is not taken')
  t.equal(await deliver(origin, message('checkout.session.completed', session)), 200)
  t.match((await ada.visit('/balance')).text, 'Visa ending in 4242')
  for (const wrong of [
    { amount: '4.99' },
    { amount: '20.001' },
    { threshold: '20.01' },
    { threshold: '0' },
    { month: '19' },
    { month: 'x' },
  ])
    t.match(
      await ada.refused('/balance', '/balance/auto', { ...amounts, ...wrong }),
      `id="problem-${Object.keys(wrong)[0]}"`,
      JSON.stringify(wrong),
    )
  t.equal(stripe.asked.length, 0, 'nothing has been paid so far')
  t.equal((await ada.submit('/balance', '/balance/auto', amounts)).status, 303)
  await until(() => accounts.account(EMAIL)?.balanceMicros === FREE + 20_000_000)
  await ada.submit('/balance', '/balance/auto/off')
  t.match((await ada.visit('/balance')).text, 'Automatic recharge is off')
  await ada.submit('/balance', '/balance/auto/card/remove')
  t.match((await ada.visit('/balance')).text, 'Save a card')
  t.same(stripe.detached, ['pm_1'])
  const log = (await ada.visit('/account/log')).text
  t.match(log, 'Turned automatic recharge on')
  t.match(log, 'Removed the card Visa ending in 4242')
})

t.test('a declined card is on every page, and a message credits what no plan knows', async t => {
  const { stripe, origin, accounts, ada, id } = await startShop(t)
  await ada.submit('/balance', '/balance/auto/card')
  const session = cardSession(id)
  await deliver(origin, message('checkout.session.completed', session))
  stripe.fate = 'declined'
  await ada.submit('/balance', '/balance/auto', { threshold: '5', amount: '20', month: '50' })
  await until(() => stripe.intents.get('pi_auto1')?.status === 'canceled')
  t.match((await ada.visit('/keys')).text, 'turned off. Your card was declined.')
  const intent = {
    id: 'pi_9',
    status: 'succeeded',
    amount: 2000,
    currency: 'usd',
    metadata: { account: id, recharge: 'gone' },
  }
  t.equal(await deliver(origin, message('payment_intent.succeeded', intent)), 200)
  t.equal(await deliver(origin, message('payment_intent.succeeded', intent)), 200)
  t.equal(accounts.account(EMAIL)?.balanceMicros, FREE + 20_000_000)
  const checkout = { ...intent, id: 'pi_10', metadata: { account: id } }
  t.equal(await deliver(origin, message('payment_intent.succeeded', checkout)), 200)
  t.equal(accounts.account(EMAIL)?.balanceMicros, FREE + 20_000_000, 'a checkout is credited by its session')
})
