import t from 'tap'
import { NEW_ACCOUNT_CREDIT_MICROS as FREE } from '../../src/billing/money.ts'
import { COMMAND_LINE, executeOn } from '../../src/console/operator/commands.ts'
import { signInAs, startDashboard, startWithCustomer } from '../support/dashboard.ts'
import { deliver, message, paidSession, sign, startShop } from '../support/stripe-stand-in.ts'

const EMAIL = 'ada@example.com'

t.test('only the webhook credits a payment, in full and once', async t => {
  const { stripe, dashboard, origin, accounts, ada, id } = await startShop(t)

  const answer = await ada.submit('/balance', '/balance/recharge', { usd: '12.34' })
  t.equal(answer.status, 303, 'going back sends nothing again')
  const onward = await ada.visit(answer.headers.get('Location') ?? '')
  t.match(onward.text, '0;url=https://pay.example/cs_1')
  t.equal(stripe.sessions[0]?.get('line_items[0][price_data][unit_amount]'), '1234')
  t.equal(stripe.sessions[0]?.get('payment_intent_data[metadata][account]'), id)
  const back = new URL(stripe.sessions[0]?.get('success_url') ?? '')
  const waiting = await ada.fetch(back.pathname + back.search)
  t.equal(waiting.headers.get('Refresh'), '3')
  t.match(await waiting.text(), 'The payment is being confirmed')
  const eve = await signInAs(dashboard, 'eve@example.com')
  t.notMatch(await eve.read(back.pathname + back.search), 'being confirmed', 'the customer did not pay')
  t.equal(accounts.account(EMAIL)?.balanceMicros, FREE, 'coming back credits nothing')

  const session = paidSession(id, { amount_total: 1234 })
  const paid = message('checkout.session.completed', session)
  t.equal(await deliver(origin, paid), 200)
  t.equal(accounts.account(EMAIL)?.balanceMicros, FREE + 12_340_000)
  const thanked = await ada.visit(back.pathname + back.search)
  t.equal(thanked.url, `${origin}/balance`)
  t.match(thanked.text, /Thank you\. \$12\.34 was credited at 20[^<]* UTC\./)
  t.notMatch(await ada.read('/balance'), 'Thank you.', 'once')
  t.match(await ada.read(back.pathname + back.search), /Thank you\. \$12\.34 was credited at 20/)
  t.equal(await deliver(origin, paid), 200, 'replayed')
  t.equal(await deliver(origin, message('checkout.session.async_payment_succeeded', session)), 200, 'twice')
  t.equal(accounts.account(EMAIL)?.balanceMicros, FREE + 12_340_000, 'once')
  t.equal(await deliver(origin, message('customer.created', {})), 200, 'a message of no interest')
})

t.test('an incomplete payment is not credited', async t => {
  const { dashboard, origin, accounts, id, ada } = await startShop(t, { OPERATORS: 'ops@example.org' })
  const unpaid = paidSession(id, { payment_status: 'unpaid' })
  t.equal(await deliver(origin, message('checkout.session.completed', unpaid)), 200)
  t.equal(accounts.account(EMAIL)?.balanceMicros, FREE)
  const taxed = paidSession(id, { total_details: { amount_tax: -9_999 } })
  t.equal(await deliver(origin, message('checkout.session.completed', taxed)), 200)
  t.equal(accounts.account(EMAIL)?.balanceMicros, FREE + 5_000_000, 'never more than was paid')
  const foreign = paidSession(id, { currency: 'jpy', payment_intent: 'pi_2' })
  t.equal(await deliver(origin, message('checkout.session.completed', foreign)), 200)
  t.equal(accounts.account(EMAIL)?.balanceMicros, FREE + 5_000_000, 'no other currency')
  const ops = await signInAs(dashboard, 'ops@example.org')
  const service = await ops.read('/operator/service')
  t.match(
    service,
    /1 message of Stripe could not be applied since the start.*log\?what=unapplied">See the log</,
  )
  const entry = 'Could not apply a message of Stripe: session cs_1, account acct_'
  t.match(await ops.read('/operator/log?q=jpy'), entry)
  t.notMatch(await ada.read('/account/log?what=all'), entry)
})

t.test('forged messages are refused', async t => {
  const { origin, accounts, id } = await startShop(t)
  const body = message('checkout.session.completed', paidSession(id, { amount_total: 999_900 }))
  t.equal(await deliver(origin, body, ''), 400, 'no signature')
  t.equal(await deliver(origin, body, sign(body, 'whsec_guess')), 400, 'a guessed secret')
  t.equal(await deliver(origin, body.replace('999900', '999901'), sign(body)), 400, 'another amount')
  t.equal(await deliver(origin, body, sign(body, undefined, 3600)), 400, 'an hour old')
  t.equal(await deliver(origin, body, sign(body, undefined, -3600)), 400, 'dated an hour ahead')
  const [ahead, now] = [sign(body, undefined, -3600), sign(body)]
  t.equal(await deliver(origin, body, `${ahead},${now}`), 400, 'dated twice')
  t.equal(accounts.account(EMAIL)?.balanceMicros, FREE)
})

t.test('a signed message without effect is acknowledged', async t => {
  const { stripe, origin, accounts, id } = await startShop(t)
  stripe.payments.set('pi_1', { account: id })
  const reversal = { id: 're_0', status: 'succeeded', currency: 'usd', payment_intent: 'pi_1' }
  // Stripe repeats a message for days unless the answer is 200. Repeating cannot help these messages.
  for (const amount of [0, -5, 0.5, 1e15, null, '7', undefined]) {
    const name = String(amount)
    const paid = message('checkout.session.completed', paidSession(id, { amount_total: amount }))
    t.equal(await deliver(origin, paid), 200, `paid ${name}`)
    t.equal(await deliver(origin, message('refund.created', { ...reversal, amount })), 200, `refund ${name}`)
    const dispute = { ...reversal, id: 'dp_0', amount }
    t.equal(await deliver(origin, message('charge.dispute.funds_withdrawn', dispute)), 200, `dispute ${name}`)
    t.equal(await deliver(origin, message('charge.dispute.funds_reinstated', dispute)), 200, `won ${name}`)
  }
  t.equal(await deliver(origin, message('refund.created', {})), 200, 'a refund of nothing')
  t.equal(accounts.account(EMAIL)?.balanceMicros, FREE)
})

t.test('refunds and disputes take money back, and a won dispute returns it', async t => {
  const { stripe, dashboard, origin, accounts, id } = await startShop(t, { OPERATORS: 'ops@example.org' })
  await accounts.credit({ account: id, micros: 20_000_000, reference: 'stripe:pi_1', kind: 'payment' })
  stripe.payments.set('pi_1', { account: id })
  const balance = () => (accounts.account(EMAIL)?.balanceMicros ?? 0) - FREE

  const refund = { id: 're_1', status: 'pending', amount: 500, currency: 'usd', payment_intent: 'pi_1' }
  await deliver(origin, message('refund.created', refund))
  t.equal(balance(), 20_000_000, 'a refund in progress')
  await deliver(origin, message('refund.updated', { ...refund, status: 'succeeded' }))
  await deliver(origin, message('refund.updated', { ...refund, status: 'succeeded' }))
  t.equal(balance(), 15_000_000, 'a refund that is complete, reported twice')

  const failed = { ...refund, status: 'failed' }
  await deliver(origin, message('refund.updated', failed))
  await deliver(origin, message('refund.failed', failed))
  t.equal(balance(), 20_000_000, 'a refund that failed in the end is given back, once')
  await deliver(origin, message('refund.updated', { ...refund, status: 'succeeded' }))
  t.equal(balance(), 20_000_000, 'its older message comes late')
  await deliver(origin, message('refund.failed', { ...failed, id: 're_2' }))
  await deliver(origin, message('refund.updated', { ...refund, id: 're_2', status: 'succeeded' }))
  t.equal(balance(), 20_000_000, 'a refund whose failure is heard of first')
  await deliver(origin, message('refund.created', { ...refund, id: 're_3', status: 'succeeded' }))

  const dispute = { id: 'dp_1', amount: 1500, currency: 'usd', payment_intent: 'pi_1' }
  await deliver(origin, message('charge.dispute.funds_withdrawn', dispute))
  t.equal(balance(), 0)
  await deliver(origin, message('charge.dispute.funds_reinstated', dispute))
  t.equal(balance(), 15_000_000)
  t.equal(
    await deliver(
      origin,
      message('charge.dispute.funds_withdrawn', { ...dispute, id: 'dp_2', payment_intent: 'pi_2' }),
    ),
    500,
    'for a payment that Stripe does not know the message is requested again',
  )
  const ops = await signInAs(dashboard, 'ops@example.org')
  t.match(await ops.read('/operator/service'), '1 message of Stripe failed with 500 and will be sent again.')
  t.match(
    await ops.read('/operator/log?what=unapplied'),
    'Could not apply a message of Stripe: charge.dispute.funds_withdrawn evt_',
    'once, with what Stripe calls it',
  )
})

t.test('a refund at Stripe is deducted once, and an operator cannot record it too', async t => {
  const { stripe, dashboard, origin, id } = await startShop(t, { OPERATORS: 'ops@example.org' })
  const balance = () => (dashboard.accounts.account(EMAIL)?.balanceMicros ?? 0) - FREE
  const refunded = (re: string, cents: number, status = 'succeeded', pi = 'pi_1') =>
    deliver(
      dashboard.origin,
      message('refund.updated', { id: re, status, amount: cents, currency: 'usd', payment_intent: pi }),
    )
  const ops = await signInAs(dashboard, 'ops@example.org')
  const page = `/operator/accounts/${id}`
  for (const payment_intent of ['pi_1', 'pi_2', 'pi_3']) {
    stripe.payments.set(payment_intent, { account: id })
    const session = paidSession(id, { amount_total: 5000, payment_intent })
    await deliver(origin, message('checkout.session.completed', session))
  }
  const money = await ops.read(`${page}/money`)
  t.equal(money.split('Refund it at Stripe</a>: it is deducted here by itself.').length, 4)

  await Promise.all([refunded('re_1', 2500), refunded('re_1', 2500), refunded('re_2', 2500)])
  await dashboard.restart()
  await Promise.all([refunded('re_1', 2500), refunded('re_2', 2500)])
  t.equal(balance(), 100_000_000, 'once, also of two at once, and after a restart')
  await refunded('re_1', 2500, 'failed')
  t.equal(balance(), 125_000_000, 'a refund that failed is given back')
  await refunded('re_4', 3000, 'succeeded', 'pi_2')
  t.equal(balance(), 95_000_000)

  const operator = await signInAs(dashboard, 'ops@example.org')
  const left = await operator.read(`${page}/money`)
  t.match(left, /\$30\.00 refunded .*\$25\.00 refunded /s, 'what is refunded of each payment')
  const run = executeOn(dashboard.accounts, COMMAND_LINE)
  for (const reference of ['pi_1', 'refund of pi_2', 'pi_3, 2', 'stripe:pi_3', 'bank for re_4']) {
    const form = { usd: '5', again: '5', reference }
    const problem = await operator.expectRefused(page, `${page}/refund`, form)
    t.match(problem, /role="alert">(pi_\d|re_4) is at Stripe\. Refund \$5\.00 at dashboard/, reference)
    const command = { account: id, usd: '5', reference }
    await t.rejects(run('account.refund', command), / is at Stripe\. Refund \$5\.00 at dashboard/, reference)
  }
  t.equal(balance(), 95_000_000)
  const byBank = { account: id, usd: '5', reference: 'bank 17' }
  await t.rejects(run('account.refund', byBank), /credited is left\. Refund \$5\.00 at dashboard/)
  await run('account.refund', { ...byBank, reference: 'bank 16', confirm: true })
  t.equal(balance(), 90_000_000, 'what Stripe cannot refund any more')
  await run('account.credit', { account: id, usd: '10', reference: 'invoice 17' })
  await run('account.refund', byBank)
  t.equal(balance(), 95_000_000, 'a refund by bank of a payment by bank')

  const dispute = { id: 'dp_9', amount: 5000, currency: 'usd', payment_intent: 'pi_3' }
  await deliver(dashboard.origin, message('charge.dispute.funds_withdrawn', dispute))
  t.equal(balance(), 45_000_000)
  const taken = await operator.read(`${page}/money`)
  const link = (pi: string) => `· payment <a href="https://dashboard.stripe.com/payments/${pi}">${pi}</a>`
  for (const text of ['>pi_3 · $50.00 disputed ', `dp_9 ${link('pi_3')}`, `re_4 ${link('pi_2')}`])
    t.match(taken, text)
  await run('account.refund', { account: id, usd: '25', reference: 'bank 18', confirm: true })
  const owed =
    'Refund the other $25.00 at Stripe</a>: up to $20.028 without a debt, and all of it would leave $4.972 owed.'
  t.match(await operator.read(`${page}/money`), owed, 'money that was used')
  const statement = await (await signInAs(dashboard, EMAIL)).read('/receipts')
  t.notMatch(statement, 'pi_', 'ids are for programs')
  t.equal(statement.match(/>Receipt</g)?.length, 3, 'what was given back is no payment')
  t.match(statement, /−\$30\.00.*href="\/receipts\/\d+">of the payment of 20/s, 'a refund names its payment')
})

t.test('a won dispute is given back, and only an open or lost one is shown as disputed', async t => {
  const { stripe, dashboard, origin, id } = await startShop(t, { OPERATORS: 'ops@example.org' })
  const opened = ['created needs_response', 'funds_withdrawn needs_response', 'updated under_review']
  const disputes = {
    pi_won: [...opened, 'closed won', 'funds_reinstated won'],
    pi_lost: [...opened, 'closed lost'],
    pi_open: opened,
  }
  for (const [payment_intent, messages] of Object.entries(disputes)) {
    stripe.payments.set(payment_intent, { account: id })
    const session = paidSession(id, { amount_total: 5000, payment_intent })
    await deliver(origin, message('checkout.session.completed', session))
    for (const [type, status] of messages.map(text => text.split(' '))) {
      const dispute = { id: payment_intent.replace('pi', 'dp'), amount: 5000, currency: 'usd' }
      await deliver(origin, message(`charge.dispute.${type}`, { ...dispute, status, payment_intent }))
    }
  }
  const ops = await signInAs(dashboard, 'ops@example.org')
  const money = await ops.read(`/operator/accounts/${id}/money`)
  t.same(money.match(/>pi_\w+ (?=· \$50\.00 disputed)/g), ['>pi_open ', '>pi_lost '])
  t.same(
    money.match(/dp_\w+ (?=· payment <[^<]*<\/a> · given back)/g),
    ['dp_won '],
    'beside the dispute, too',
  )
  t.match(money, 'dp_won · dispute won · payment ', 'its id as Stripe has it')
  const { id: other } = await dashboard.accounts.createAccount({ email: 'eve@example.com' })
  const search = executeOn(dashboard.accounts, COMMAND_LINE)
  const disputed = await search('account.search', { state: 'disputed' })
  t.match(disputed, { accounts: [{ id, disputed: 100 }], matches: 1 })
  t.match(await search('account.show', { account: id }), { disputed: 100, paid: 150 })
  t.match(await search('account.show', { account: other }), { disputed: null, paid: 0 })
  const later = { nowMs: Date.now() + 90 * 86_400_000, state: 'disputed' } as const
  t.match(await dashboard.accounts.search(later), { matches: 0 }, 'after 90 days it is lost')
  const list = await ops.read('/operator/accounts?state=disputed')
  t.match(list, />Payment disputed \(1\)<.*\/operator\/accounts\/\w+" class="label".*>\$100\.00 disputed</s)
  t.match(
    await ops.read('/operator/service'),
    `$100.00 disputed · <span class="small"><a href="/operator/accounts/${id}/money`,
  )
  const head = await ops.read(`/operator/accounts/${id}`)
  t.match(head, /<span class="tag caution">\$100\.00 disputed<.*\/money">after a dispute of \$100\.00<\/a>/s)
  t.match(await ops.read('/operator/revenue'), 'Received this month</dt><dd><span title="$50.00">')
})

t.test('wrong amounts are refused', async t => {
  const { ada } = await startWithCustomer(t)
  for (const usd of ['4.99', '0', '-5', '5.001', '10000.01', 'five', '', '1e3', '5,00']) {
    t.match(await ada.expectRefused('/balance', '/balance/recharge', { usd }), 'id="problem-usd"', usd)
  }
})

t.test('a test payment is credited once', async t => {
  const dashboard = await startDashboard(t)
  const ada = await signInAs(dashboard, EMAIL)
  const proposed = async () => /name="usd" value="([^"]*)"/.exec(await ada.read('/balance'))?.[1]
  t.equal(await proposed(), '20.00')
  t.match(await ada.read('/?steps'), 'The first 1,000 queries are free')
  const form = { csrf: await ada.token('/balance'), usd: '5' }
  for (let click = 0; click < 2; click++)
    t.equal((await ada.post('/balance/recharge', form)).headers.get('Location'), '/balance')
  t.equal(dashboard.accounts.account(EMAIL)?.balanceMicros, FREE + 5_000_000)
  t.match(await ada.fetch('/statement.csv').then(file => file.text()), /,test,5\.000000,5\.028000,/)
  t.notOk(await proposed(), 'another click does not pay again')
  t.match(await ada.read('/balance'), 'You paid $5.00 just now.')
  t.notMatch(await ada.read('/?steps'), 'queries are free', 'the account has paid')
})

const SELLER = { RECEIPT_SELLER: 'Example <Ltd>; 1 Main Street; VAT GB123' }

t.test('a payment links to its invoice, and any other credit to a printable page', async t => {
  const { stripe, dashboard, origin, accounts, ada, id: account } = await startShop(t, SELLER)
  t.notMatch(await ada.read('/receipts'), /\/receipts\/\d/, 'free credit needs no receipt')
  const taxed = { amount_total: 595, total_details: { amount_tax: 95 }, invoice: 'in_1' }
  const session = paidSession(account, { mode: 'payment', ...taxed })
  await deliver(origin, message('checkout.session.completed', session))
  t.equal(accounts.account(EMAIL)?.balanceMicros, FREE + 5_000_000, 'a tax is not credited')
  stripe.payments.set('pi_2', { account })
  await accounts.credit({ account, micros: 7_000_000, reference: 'stripe:pi_2', kind: 'payment' })
  await accounts.credit({ account, micros: 3e6, reference: 'invoice-17', kind: 'operator', note: 'by bank' })

  const { text } = await ada.visit('/receipts')
  const links = [...text.matchAll(/\/receipts\/\d+/g)].map(([path]) => path)
  t.equal(links.length, 2, 'a credit of the operator is no payment')
  t.notMatch(text, /pi_|in_1/, 'ids are for programs')
  const [charged = '', invoiced = ''] = links
  t.equal((await ada.fetch(invoiced)).headers.get('Location'), 'https://pay.example/in_1')
  t.equal((await ada.fetch(charged)).headers.get('Location'), 'https://pay.example/receipt/pi_2')
  const eve = await signInAs(dashboard, 'eve@example.com')
  for (const link of [...links, '/receipts/0', '/receipts/x', '/receipts/1e3'])
    t.equal((await eve.visit(link)).status, 404, `somebody else on ${link}`)
})

t.test('a payment has a receipt even if Stripe does not answer', async t => {
  const { accounts, ada, id: account } = await startShop(t, SELLER)
  await accounts.credit({ account, micros: 7_000_000, reference: 'stripe:pi_gone', kind: 'payment' })
  const link = /\/receipts\/\d+/.exec(await ada.read('/receipts'))?.[0] ?? ''
  const receipt = await ada.read(link)
  for (const fact of ['Example &lt;Ltd&gt;', 'VAT GB123', `${account}-`, EMAIL, '$7.00', '>pi_gone<'])
    t.match(receipt, fact)
  t.match(receipt, '<dt>Tax</dt><dd>none<')
  await ada.expectRefused('/receipts', '/receipts/buyer', { company: 'x'.repeat(201), tax: '' })
  const buyer = { company: 'Ada < Co', tax: 'DE123', address: '1 Main St' }
  await ada.submit('/receipts', '/receipts/buyer', buyer)
  t.match(await ada.read('/receipts'), 'Receipts name Ada &lt; Co, DE123, 1 Main St, earlier ones too.')
  t.match(await ada.read(link), /<dt>Postal address<\/dt><dd>1 Main St<.*details of<\/dt><dd>20\d\d-/s)
  t.match(
    await ada.read('/account/log'),
    'Set the details on receipts: Ada &lt; Co, DE123, 1 Main St<span class="under">before: none<',
  )
  t.match(await ada.read(link), /<dt>Company<\/dt><dd>Ada &lt; Co<.*<dt>Tax number<\/dt><dd>DE123</s)
  const refund = {
    account,
    micros: 2_000_000,
    reference: 'stripe:re_1',
    payment: 'stripe:pi_gone',
    kind: 'refund',
  } as const
  await accounts.adjust(refund)
  t.match(await ada.read(link), /<dt>Refunded<\/dt><dd>\$2\.00 on \d{4}-/, 'what was kept')
})

t.test('a refund with tax takes back its share of the credit', async t => {
  const { stripe, origin, accounts, id } = await startShop(t)
  await accounts.credit({ account: id, micros: 5_000_000, reference: 'stripe:pi_auto1', kind: 'payment' })
  const metadata = { account: id, cents: '500' }
  stripe.intents.set('pi_auto1', { id: 'pi_auto1', status: 'succeeded', amount: 595, customer: '', metadata })
  const refund = { id: 're_1', status: 'succeeded', amount: 119, currency: 'usd', payment_intent: 'pi_auto1' }
  await deliver(origin, message('refund.created', refund))
  t.equal(accounts.account(EMAIL)?.balanceMicros, FREE + 4_000_000)
})

t.test("STRIPE_TAX adds tax, and the checkout asks for the invoice's details", async t => {
  const { stripe, ada } = await startShop(t, { STRIPE_TAX: '1' })
  await ada.submit('/balance', '/balance/recharge', { usd: '5' })
  t.match(Object.fromEntries(stripe.sessions[0] ?? []), {
    'automatic_tax[enabled]': 'true',
    'line_items[0][price_data][tax_behavior]': 'exclusive',
    'line_items[0][price_data][unit_amount]': '500',
    'invoice_creation[enabled]': 'true',
    'tax_id_collection[enabled]': 'true',
    billing_address_collection: 'required',
    customer_creation: 'always',
    'payment_intent_data[metadata][cents]': '500',
  })
})
