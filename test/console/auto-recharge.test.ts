import t, { type Test } from 'tap'
import { NEW_ACCOUNT_CREDIT_MICROS as FREE } from '../../src/billing/money.ts'
import { openAutoRecharge, RECHARGE_UNKNOWN_MS_MAX } from '../../src/console/payments/auto-recharge.ts'
import { createStripe } from '../../src/console/payments/checkout.ts'
import { createLog } from '../../src/platform/log.ts'
import { accountsUntilEnd } from '../support/accounts.ts'
import { deliver, message, type StripeStandIn, startShop, startStripe } from '../support/stripe-stand-in.ts'
import { openTestRows } from '../support/test-fleet.ts'
import { until } from '../support/until.ts'
import { warningsOf } from './page-reader.ts'

const EMAIL = 'ada@example.com'
const AMOUNTS = { thresholdMicros: 5_000_000, amountMicros: 20_000_000, monthMaxMicros: 50_000_000 }

type Fixture = Awaited<ReturnType<typeof start>>

/** @param outcome turns recharging on, with this outcome of payments */
async function start(t: Test, outcome?: StripeStandIn['nextOutcome']) {
  const stripe = await startStripe(t)
  const dir = t.testdir()
  const accounts = await accountsUntilEnd(t, { dir })
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
    openAutoRecharge({
      accounts,
      stripe: client,
      alerts,
      audit: { record: () => {}, has: async () => false },
      log: createLog('silent'),
      dataDir: dir,
      sharedRows: shared?.rows,
      retryMs: [1],
      roundMs: 2,
      nowMs: () => clock.nowMs++,
    })
  let spent = 0
  const fixture = {
    stripe,
    accounts,
    auto: await open(),
    id,
    notes,
    clock,
    /** Closes in order, after answers in flight, and opens the plans again. */
    async restart() {
      await fixture.auto.close()
      fixture.auto = await open()
    },
    /** Lowers the balance by `micros`, as queries do. */
    async spend(micros: number) {
      await accounts.adjust({ account: id, micros, reference: `spent ${++spent}`, kind: 'refund' })
    },
  }
  t.teardown(async () => {
    await fixture.auto.close()
    await shared?.close()
  })
  await fixture.auto.change(id, { customer: 'cus_1', card: { id: 'pm_1', text: 'Visa ending in 4242' } })
  if (outcome === undefined) return fixture
  stripe.nextOutcome = outcome
  await fixture.auto.turnOn(id, AMOUNTS)
  return fixture
}

const balance = ({ accounts }: Fixture) => accounts.account(EMAIL)?.balanceMicros ?? 0
const isSettled = ({ auto, id }: Fixture) => auto.planOf(id).attempt === null

t.test('each fall below the threshold recharges the balance once', async t => {
  const fixture = await start(t, 'paid')
  const { stripe, auto, id } = fixture
  await until(() => balance(fixture) === FREE + 20_000_000 && isSettled(fixture))
  t.equal(stripe.intents.size, 1)
  t.match([...stripe.intents.values()], [{ amount: 2000, customer: 'cus_1', metadata: { account: id } }])
  await fixture.spend(10_000_000)
  await fixture.spend(5_020_000)
  // Several turns pass above the threshold.
  const from = fixture.clock.nowMs
  await until(() => fixture.clock.nowMs > from + 50)
  t.equal(stripe.intents.size, 1, 'nothing is paid above the threshold')
  await fixture.spend(1_000_000)
  await until(() => stripe.intents.size === 2 && isSettled(fixture))
  t.equal(auto.planOf(id).monthMicros, 40_000_000)
  t.equal(new Set(stripe.idempotencyKeys).size, stripe.idempotencyKeys.length, 'each was asked for once')
  t.match(fixture.notes, [/recharge.done: \$20.00/, /recharge.done/])
  t.match(fixture.accounts.statement(id).at(-1), { kind: 'payment', note: 'automatic recharge' })
})

t.test('the monthly limit holds, is reported once, and ends with the month', async t => {
  const fixture = await start(t, 'paid')
  const { stripe } = fixture
  for (let n = 1; n <= 2; n++) {
    await until(() => stripe.intents.size === n && isSettled(fixture))
    await fixture.spend(balance(fixture) - 1_000_000)
  }
  await until(() => fixture.notes.some(note => /bound of \$50\.00 a month/.test(note)))
  await fixture.spend(500_000)
  await fixture.restart()
  await fixture.spend(100_000)
  t.equal(stripe.intents.size, 2, 'a third would be $60')
  t.equal(fixture.notes.filter(note => note.includes('bound')).length, 1)
  fixture.clock.nowMs = Date.UTC(2026, 2, 1)
  await until(() => stripe.intents.size === 3)
})

t.test('a declined card turns recharging off with an alert', async t => {
  for (const outcome of ['declined', 'confirm', 'unknown card'] as const) {
    await t.test(outcome, async t => {
      const fixture = await start(t, outcome)
      const { stripe, auto, id } = fixture
      await until(() => fixture.notes.length > 0)
      t.match(auto.planOf(id), {
        isOn: false,
        attempt: null,
        monthMicros: 0,
        problem: /was turned off on 2026-02-\d\d .* UTC/,
      })
      t.match(fixture.notes, [/^recharge.failed: Automatic recharge was turned off/])
      for (const { status } of stripe.intents.values())
        t.equal(status, 'canceled', 'nobody can confirm it later')
      await fixture.spend(1000)
      await fixture.restart()
      await fixture.spend(1000)
      t.equal(stripe.idempotencyKeys.length, 1)
      t.equal(balance(fixture), FREE - 2000)
      stripe.nextOutcome = 'paid'
      await fixture.auto.turnOn(id, AMOUNTS)
      await until(() => balance(fixture) > 20_000_000)
    })
  }
})

t.test('a lost answer is requested again with the same key, also after a restart', async t => {
  const fixture = await start(t, 'lost')
  const { stripe } = fixture
  await until(() => stripe.idempotencyKeys.length >= 3)
  await fixture.restart()
  t.equal(balance(fixture), FREE, 'nobody knows yet that it is paid')
  stripe.nextOutcome = 'paid'
  await until(() => isSettled(fixture))
  t.equal(new Set(stripe.idempotencyKeys).size, 1, `one key in ${stripe.idempotencyKeys.length} requests`)
  t.equal(stripe.intents.size, 1)
  t.equal(balance(fixture), FREE + 20_000_000)
})

t.test("a payment's message and its answer credit it once in any order", async t => {
  const fixture = await start(t, 'lost')
  const { stripe, auto, id } = fixture
  await until(() => stripe.intents.size === 1)
  const recharge = auto.planOf(id).attempt?.id ?? ''
  const paid = { state: 'paid', intent: 'pi_auto1' } as const
  await Promise.all([auto.settleReported(id, recharge, paid), auto.settleReported(id, recharge, paid)])
  stripe.nextOutcome = 'paid'
  await auto.settleReported(id, recharge, paid)
  t.equal(balance(fixture), FREE + 20_000_000)
  t.ok(isSettled(fixture))
  t.equal(fixture.notes.length, 1)
  await auto.settleReported(id, recharge, { state: 'refused', intent: null, reason: 'late' })
  t.equal(auto.planOf(id).isOn, true, 'a late message about an ended attempt changes nothing')
})

t.test('an unknown outcome is not retried with a key that Stripe may have forgotten', async t => {
  const fixture = await start(t, 'lost')
  const { stripe, auto, id } = fixture
  await until(() => stripe.idempotencyKeys.length > 0)
  fixture.clock.nowMs += RECHARGE_UNKNOWN_MS_MAX + 1
  await until(() => auto.planOf(id).problem !== '')
  const { length } = stripe.idempotencyKeys
  stripe.nextOutcome = 'paid'
  await fixture.spend(1000)
  await fixture.restart()
  t.equal(stripe.idempotencyKeys.length, length)
  t.match(fixture.auto.planOf(id), { isOn: false, attempt: null, monthMicros: 20_000_000 })
})

t.test('a payment that Stripe never made is not made after recharging was turned off', async t => {
  const changes: [name: string, change: (fixture: Fixture) => Promise<unknown>][] = [
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
      const fixture = await start(t, 'down')
      const { stripe, auto, id } = fixture
      await until(() => stripe.idempotencyKeys.length > 0)
      const { attempt } = auto.planOf(id)
      await change(fixture)
      // A request from before the change may still be on its way.
      await until(() => auto.planOf(id).attempt?.id !== attempt?.id)
      stripe.nextOutcome = 'paid'
      const from = fixture.clock.nowMs
      await until(() => fixture.clock.nowMs > from + 20)
      t.notOk(
        [...stripe.intents.values()].some(({ metadata }) => metadata.recharge === attempt?.id),
        'nothing is paid',
      )
    })
  }
})

t.test('a payment that Stripe made before recharging was turned off is credited', async t => {
  const fixture = await start(t, 'lost')
  const { stripe, auto, id } = fixture
  await until(() => stripe.idempotencyKeys.length > 0)
  await auto.change(id, { isOn: false })
  const { length } = stripe.idempotencyKeys
  stripe.nextOutcome = 'paid'
  await until(() => isSettled(fixture))
  t.equal(balance(fixture), FREE + 20_000_000)
  t.ok(stripe.idempotencyKeys.length <= length + 1, 'it is looked for, and not asked for again')
})

t.test('a slow payment blocks further payments', async t => {
  const fixture = await start(t, 'slow')
  const { stripe, auto, id } = fixture
  await until(() => auto.planOf(id).attempt?.intent === 'pi_auto1')
  await fixture.spend(1000)
  await fixture.restart()
  const intent = stripe.intents.get('pi_auto1')
  if (intent !== undefined) intent.status = 'succeeded'
  await until(() => isSettled(fixture))
  t.equal(stripe.intents.size, 1)
  t.equal(balance(fixture), FREE - 1000 + 20_000_000)
})

t.test('a suspended account, a debt, a missing card or the switch stops recharging', async t => {
  const fixture = await start(t)
  const { stripe, accounts, auto, id } = fixture
  await accounts.suspend(id, 'a test')
  await auto.turnOn(id, AMOUNTS)
  await fixture.spend(FREE + 1)
  await accounts.resume(id, 'a test')
  const turns = async () => {
    const from = fixture.clock.nowMs
    await until(() => fixture.clock.nowMs > from + 20)
  }
  await turns()
  t.equal(accounts.account(id)?.debtMicros, 1, 'a refund beyond the balance')
  t.equal(stripe.idempotencyKeys.length, 0)
  await auto.change(id, { isOn: false })
  await accounts.credit({ account: id, micros: 1, reference: 'paid back', kind: 'operator' })
  await turns()
  t.equal(stripe.idempotencyKeys.length, 0, 'off')
  await auto.change(id, { isOn: true, card: null })
  await turns()
  t.equal(stripe.idempotencyKeys.length, 0, 'no card')
})

/** Returns the checkout session in which a customer has saved a card. */
const cardSession = (account: string) => ({
  id: 'cs_1',
  mode: 'setup',
  client_reference_id: account,
  customer: 'cus_1',
  setup_intent: 'seti_1',
})

t.test('forms save a card, set amounts, turn recharging off, and remove the card', async t => {
  const { stripe, origin, accounts, ada, id } = await startShop(t)
  const amounts = { threshold: '$5', amount: '20.00', month: '50' }
  t.match(await ada.expectRefused('/balance', '/balance/auto', amounts), 'Save a card first')
  const onward = await ada.submit('/balance', '/balance/auto/card')
  t.match(await ada.read(onward.headers.get('Location') ?? ''), '0;url=https://pay.example/cs_1')
  t.match(Object.fromEntries(stripe.sessions[0] ?? []), {
    mode: 'setup',
    customer: 'cus_1',
    client_reference_id: id,
  })
  const { search } = new URL(Object.fromEntries(stripe.sessions[0] ?? []).success_url ?? '')
  const waiting = await ada.fetch(`/balance${search}`)
  t.equal(waiting.headers.get('Refresh'), '3')
  t.match(await waiting.text(), /The card is being saved(?!.*Save a card)/s)
  const session = cardSession(id)
  const eve = await accounts.createAccount({ email: 'eve@example.com' })
  const foreign = message('checkout.session.completed', { ...session, client_reference_id: eve.id })
  t.equal(await deliver(origin, foreign), 200)
  t.match(await ada.read('/balance'), 'Save a card', 'a card of another customer is not taken')
  t.equal(await deliver(origin, message('checkout.session.completed', session)), 200)
  t.match(await ada.read(`/balance${search}`), 'Visa ending in 4242 is saved.')
  for (const wrong of [
    { amount: '4.99' },
    { amount: '20.001' },
    { threshold: '20.01' },
    { threshold: '0' },
    { month: '19' },
    { month: 'x' },
    { threshold: '20.01', month: '19' },
  ]) {
    const text = await ada.expectRefused('/balance', '/balance/auto', { ...amounts, ...wrong })
    for (const name of Object.keys(wrong)) t.match(text, `id="problem-${name}"`, JSON.stringify(wrong))
  }
  t.equal(stripe.idempotencyKeys.length, 0, 'nothing has been paid so far')
  t.equal((await ada.submit('/balance', '/balance/auto', amounts)).status, 303)
  await until(() => accounts.account(EMAIL)?.balanceMicros === FREE + 20_000_000)
  await ada.submit('/balance', '/balance/auto/off')
  t.match(await ada.read('/balance'), 'Automatic recharge is off')
  await ada.submit('/balance', '/balance/auto/card/remove')
  t.match(await ada.read('/balance'), 'Save a card')
  t.same(stripe.removedCards, ['pm_1'])
  const log = await ada.read('/account/log')
  t.match(log, 'Turned automatic recharge on')
  t.match(log, 'Removed the card Visa ending in 4242')
})

t.test('the balance page says what a recharge pays at once, and follows the payment', async t => {
  const { stripe, origin, ada, id } = await startShop(t)
  await ada.submit('/balance', '/balance/auto/card')
  await deliver(origin, message('checkout.session.completed', cardSession(id)))
  t.match(
    await ada.read('/balance'),
    'Turning on pays at once if the balance, now $0.028, is below the first amount.',
  )
  t.equal((await ada.fetch('/balance')).headers.get('Refresh'), null)
  stripe.nextOutcome = 'slow'
  await ada.submit('/balance', '/balance/auto', { threshold: '5', amount: '20', month: '50' })
  const paying = await ada.fetch('/balance')
  t.equal(paying.headers.get('Refresh'), '3')
  t.match(
    await paying.text(),
    /A payment of \$20\.00 is being made automatically.*\$0\.00 was paid automatically/s,
  )
  await until(() => stripe.intents.size === 1)
  const [intent] = stripe.intents.values()
  const paid = { ...intent, status: 'succeeded', currency: 'usd' }
  t.equal(await deliver(origin, message('payment_intent.succeeded', paid)), 200)
  const after = await ada.fetch('/balance')
  t.equal(after.headers.get('Refresh'), null)
  const confirmed = /Automatic recharge: \$20\.00 was credited at 20.*recharged below \$5\.00/s
  for (const text of [await after.text(), await ada.read('/balance')]) {
    t.match(text, '$20.00 was paid automatically this month')
    t.notMatch(text, 'Turning on')
    t.match(text, confirmed, 'also after a reload')
  }
})

t.test('every page shows a declined card, and a message credits an unknown payment', async t => {
  const { stripe, origin, accounts, ada, id } = await startShop(t)
  await ada.submit('/balance', '/balance/auto/card')
  const session = cardSession(id)
  await deliver(origin, message('checkout.session.completed', session))
  stripe.nextOutcome = 'declined'
  await ada.submit('/balance', '/balance/auto', { threshold: '5', amount: '20', month: '50' })
  await until(() => stripe.intents.get('pi_auto1')?.status === 'canceled')
  await accounts.setLowBalance(id, 1_000_000)
  t.match(warningsOf(await ada.read('/keys')), [
    /^caution: Your balance is below \$1\.00\. Auto.* turned off on 20\S+ \S+ UTC\. A payment of \$[\d.]+ failed\. Your card was declined\. \[Check the card\]/,
  ])
  t.equal((await ada.read('/balance')).match(/Your card was declined/g)?.length, 1)
  t.match(
    await ada.read('/balance'),
    /Automatic recharge is off.*A payment of \$20\.00 failed\. Your card was declined\. Use another card, or turn it on/s,
    'where it is set up',
  )
  const failed = /Failed payments.*Your card was declined\..*\$20\.00/s
  // The log is written a moment later.
  await until(async () => failed.test(await ada.read('/receipts')))
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
  t.match(await ada.read('/receipts'), failed, 'also after a payment that worked')
  t.match(await ada.read('/receipts?from=2026-01-01'), failed, 'within the chosen days')
  t.notMatch(await ada.read('/receipts?to=2026-01-01'), 'Failed payments')
  t.match(await ada.read('/account/log'), 'Saved the card ')
  const checkout = { ...intent, id: 'pi_10', metadata: { account: id } }
  t.equal(await deliver(origin, message('payment_intent.succeeded', checkout)), 200)
  t.equal(accounts.account(EMAIL)?.balanceMicros, FREE + 20_000_000, 'a checkout is credited by its session')
})
