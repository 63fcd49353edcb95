import t from 'tap'
import { NEW_ACCOUNT_CREDIT_MICROS } from '../../src/billing/money.ts'
import { Browser, charge, signInAs, startWithCustomer } from '../support/dashboard.ts'

const ADA = 'ada@example.com'

t.test('every page shows a debt, and a payment says how much paid it', async t => {
  const { accounts, ada, id } = await startWithCustomer(t)
  await accounts.adjust({ account: id, micros: 50_028_000, reference: 'taken back', kind: 'refund' })
  for (const page of ['/', '/keys', '/usage', '/balance', '/limits', '/account'])
    t.match(await ada.read(page), 'You owe $50.00 from refunds or disputes', page)
  const { text } = await ada.visit('/balance')
  t.match(text, 'data-live="balance">−$50.00<')
  t.match(text, 'The first $50.00 pays your debt')
  t.notMatch(text, 'Credited in full')
  t.equal(JSON.parse(await ada.read('/live.json')).balance, '−$50.00')
  await accounts.adjust({ account: id, micros: 123_456, reference: 'more', kind: 'refund' })
  t.match(
    await ada.read('/balance'),
    /"balance">−\$50\.12<.*"exactBalance">−\$50\.123456</s,
    'cents, and the exact amount',
  )
  await accounts.credit({ account: id, micros: 123_456, reference: 'less', kind: 'operator' })
  const pay = async (usd: string) => {
    await ada.submit('/balance', '/balance/recharge', { usd })
    return await ada.read('/balance')
  }
  t.match(await pay('20'), '$20.00 has paid a part of your debt. You still owe $30.00.')
  t.match(await pay('40'), '$30.00 has paid off your debt, and $10.00 has been credited.')
})

t.test('a form with four errors shows all four once after a redirect', async t => {
  const { ada } = await startWithCustomer(t)
  const wrong = { label: 'x'.repeat(65), expiresMs: '2001-01-31T12:00', perDay: '0', addresses: 'nowhere' }
  const answer = await ada.submit('/keys', '/keys', wrong)
  t.equal(answer.status, 303, 'going back or reloading sends nothing again')
  const other = new Browser(ada.origin, ada.cookies)
  t.notMatch(await other.read('/balance'), 'id="problem-', 'another page shows none')
  const { text } = await ada.visit('/keys')
  for (const name of Object.keys(wrong)) t.match(text, `id="problem-${name}"`)
  t.notMatch(await ada.read('/keys'), 'id="problem-')
})

t.test('an irreversible step asks for confirmation', async t => {
  const { dashboard, accounts, ada } = await startWithCustomer(t, { OPERATORS: ADA })
  await signInAs(dashboard, 'bob@example.com')
  const [own, bob] = [ADA, 'bob@example.com'].map(email => accounts.account(email)?.id ?? '')
  const { id: invitation } = await accounts.teams.invite(own, { email: 'eve@example.com', role: 'billing' })
  await accounts.teams.add(own, bob, 'developer')
  const { id: key } = await accounts.createKey(bob, { label: 'shop' })
  const steps: [path: string, text: string | RegExp][] = [
    [`/account/members/remove?person=${bob}`, 'Remove bob@example.com?'],
    [`/account/members/withdraw?invitation=${invitation}`, 'Withdraw the invitation of eve@example.com?'],
    [
      `/operator/accounts/${bob}/keys/${key}/revoke`,
      /Revoke “shop”\?<.*>pk_live_.{4}…<\/code> of bob@example\.com</s,
    ],
    [
      `/operator/accounts/${bob}/refund`,
      'Nothing can be refunded: no payment and nothing that operators credited is left.',
    ],
    [
      `/operator/accounts/${bob}/close`,
      /Email address of the account.*To confirm the closing, type bob@example\.com\./s,
    ],
    ['/sign-out-everywhere', 'Every session of ada@example.com ends'],
  ]
  for (const [path, text] of steps) t.match(await ada.read(path), text, path)
  t.equal(accounts.teams.of(own).members.length, 2, 'reading changes nothing')
  t.equal(accounts.key(key)?.revokedMs, null)
  const credit = `/operator/accounts/${bob}/credit`
  const large = { usd: '1000000', reference: 'typing error' }
  const previewOf = async (path: string, form: Record<string, string>) => {
    const { headers } = await ada.submit(path, path, form)
    return await ada.read(headers.get('Location') ?? '')
  }
  const preview = await previewOf(credit, large)
  for (const [name, amount] of [
    ['Balance now', '$0.028'],
    ['Credit', '+$1,000,000.00'],
    ['Balance after', '$1,000,000.028'],
  ])
    t.match(preview, `<dt>${name}</dt><dd>${amount}</dd>`)
  t.match(preview, 'Type the amount again')
  t.notMatch(await ada.read(credit), 'amount again', 'asked for when it is needed')
  await accounts.credit({ account: bob, micros: 5_000_000, reference: 'bank', kind: 'operator' })
  const dispute = { reference: 'stripe:dp_1', payment: 'stripe:pi_1', kind: 'dispute' } as const
  await accounts.adjust({ account: bob, micros: 5_000_000, ...dispute })
  const refund = `/operator/accounts/${bob}/refund`
  t.notMatch(await ada.read(`${refund}?usd=6&reference=r`), 'Owed after', 'no preview of what is refused')
  const debt = await ada.read(`${refund}?usd=5&reference=r`)
  t.match(debt, '<dt>Owed after</dt><dd>$4.972</dd>')
  t.match(debt, 'Type the amount again')
  t.equal(accounts.account(bob)?.balanceMicros, NEW_ACCOUNT_CREDIT_MICROS, 'nothing was changed')
  t.match(await ada.expectRefused(credit, credit, { ...large, again: '100000' }), 'the same amount again')
  t.equal((await ada.submit(credit, credit, { ...large, again: '1,000,000.00' })).status, 303)
  t.equal(accounts.account(bob)?.balanceMicros, 1_000_000_028_000)
  const suspend = `/operator/accounts/${bob}/suspend`
  for (let click = 0; click < 2; click++) {
    const form = await ada.submit(credit, suspend, { reason: `click ${click}` })
    t.match(form.headers.get('Location'), `/operator/accounts/${bob}`)
  }
  t.equal(accounts.account(bob)?.standing?.reason, 'click 0', 'an expired offer is refused')
})

t.test('the last owner has no button to leave or to be removed', async t => {
  const { ada } = await startWithCustomer(t)
  const { text } = await ada.visit('/account/members')
  t.match(text, 'an account needs at least one')
  t.notMatch(text, 'Remove ada@example.com')
})

t.test("an operator's credit has no receipt, and the example of a key fits its rules", async t => {
  const { accounts, ada } = await startWithCustomer(t)
  const account = accounts.account(ADA)?.id ?? ''
  await accounts.credit({ account, micros: 5_000_000, reference: 'goodwill', kind: 'operator' })
  t.match(await ada.read('/receipts'), /goodwill(?!.*\/receipts\/\d)/s)
  const answer = await ada.submit('/keys', '/keys', { label: 'checks', endpoints: 'validate' })
  const { text } = await ada.visit(answer.headers.get('Location') ?? '')
  t.match(text, 'curl http')
  t.match(text, '/api/validate \\\n')
  t.notMatch(text, '/api/lookup')
})

t.test("only the operator's pages show ids of payment providers", async t => {
  const { accounts, ada, id: account } = await startWithCustomer(t, { OPERATORS: ADA })
  await accounts.credit({ account, micros: 5_000_000, reference: 'stripe:pi_17', kind: 'payment' })
  for (const page of ['/balance', '/receipts', '/account/log'])
    t.notMatch(await ada.read(page), /stripe:|pi_17|urn:/, page)
  for (const page of [`/operator/accounts/${account}/money`, '/operator/log']) {
    const { text } = await ada.visit(page)
    t.notMatch(text, /stripe:|urn:/, page)
    t.match(text, 'pi_17', page)
  }
})

t.test('a downloaded list runs nothing in a spreadsheet', async t => {
  const { accounts, ada } = await startWithCustomer(t, { OPERATORS: ADA })
  const { secret: key } = await accounts.createKey(ADA, { label: '=1+1, "x"' })
  charge(accounts, key)
  t.match(await ada.read('/usage.csv?split=key'), `"'=1+1, ""x""`, 'quoted, and no spreadsheet runs it')
})
