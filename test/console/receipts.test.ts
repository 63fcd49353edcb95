import t from 'tap'
import { NEW_ACCOUNT_CREDIT_MICROS as FREE } from '../../src/billing/money.ts'
import { signInAs } from '../support/dashboard.ts'
import { deliver, message, paidSession, startShop } from '../support/stripe-stand-in.ts'

const EMAIL = 'ada@example.com'
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
  await ada.expectRefused('/receipts', '/receipts/buyer', { company: 'x'.repeat(201), tax: '' })
  await ada.submit('/receipts', '/receipts/buyer', { company: 'Ada < Co', tax: 'DE123' })
  t.match(await ada.read(link), /<dt>Company<\/dt><dd>Ada &lt; Co<.*<dt>Tax number<\/dt><dd>DE123</s)
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
