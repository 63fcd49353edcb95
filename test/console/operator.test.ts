import { readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { NO_RULES } from '../../src/billing/accounts/views.ts'
import { NEW_ACCOUNT_CREDIT_MICROS } from '../../src/billing/money.ts'
import { COMMAND_LINE, executeOn } from '../../src/console/operator/commands.ts'
import { PROVED_EMAIL } from '../../src/console/session/proved-email.ts'
import { resultText, valueText } from '../../src/programs/cli/result-text.ts'
import { ERRORS } from '../../src/service/errors.ts'
import { ServedIndex } from '../../src/service/http/served-index.ts'
import { authenticate } from '../support/accounts.ts'
import { refusalCount } from '../support/activity.ts'
import {
  Browser,
  charge,
  movableClock,
  signInAs,
  startDashboard,
  type TestDashboard,
} from '../support/dashboard.ts'
import { namedIndex } from '../support/fixture-index.ts'
import { startIdentityProvider } from '../support/identity-provider.ts'
import { createMemoryLog } from '../support/kept-log.ts'
import { damaged } from '../support/sealed-file.ts'
import { rowsOf } from './page-reader.ts'

const OPERATOR = 'ops@example.org'
const ENV = {
  OPERATORS: `boss@example.org, ${OPERATOR.toUpperCase()}`,
  SUPPORT_ADDRESS: 'help@postrie.example',
}

const PAGES = ['', '/service', '/accounts', '/log', '/log.csv', '/settings'].map(path => `/operator${path}`)
const PAGES_OF_OWNERS = '/ /keys /usage /requests /alerts /balance /receipts /account /account/members'.split(
  ' ',
)
const FORMS = 'credit refund limits note view suspend resume close keys/key_x/switch keys/key_x/revoke'.split(
  ' ',
)

async function start(t: Parameters<typeof startDashboard>[0]) {
  const dashboard = await startDashboard(t, ENV)
  const { accounts } = dashboard
  const { id } = await accounts.createAccount({ email: 'ada@example.org' })
  const { id: key, secret } = await accounts.createKey(id, { label: 'production' })
  return { dashboard, id, key, secret, page: `/operator/accounts/${id}` }
}

const answers = ({ accounts }: TestDashboard, secret: string) => authenticate(accounts, secret) !== undefined

t.test('a customer finds nothing under /operator', async t => {
  const { dashboard, id, page } = await start(t)
  const eve = await signInAs(dashboard, 'eve@example.org')
  const paths = [...PAGES, page, `${page}/statement.csv`, `${page}/nothing`, '/operator/no-such-page']
  for (const path of [...paths, ...FORMS.map(form => `${page}/${form}`)])
    t.equal((await eve.fetch(path)).status, 404, `GET ${path}`)
  const csrf = await eve.token('/keys')
  for (const path of FORMS.map(form => `${page}/${form}`)) {
    const fields = { csrf, usd: '1', reference: 'r', reason: 'x', email: 'ada@example.org' }
    t.equal((await eve.post(path, fields)).status, 404, `POST ${path}`)
  }
  t.match(dashboard.accounts.account(id), { standing: null, balanceMicros: NEW_ACCOUNT_CREDIT_MICROS })
  t.notMatch(await eve.read('/'), '/operator', 'no link leads there')
  const unknown = await eve.visit('/no-such-page')
  t.match(unknown.text, /There is no page \/no-such-page.*<a href="\/">To the overview</s)
  // Each page has its own token for forms.
  const shown = (text: string) => text.replaceAll(/name="csrf" value="[^"]*"/g, '')
  const closed = (await eve.read('/operator')).replaceAll('/operator', '/no-such-page')
  t.equal(shown(closed), shown(unknown.text), 'it looks like a page that does not exist')
  const stranger = new Browser(dashboard.origin)
  t.match((await stranger.visit('/operator/accounts')).url, '/sign-in', 'a stranger is asked to sign in')
})

t.test('without OPERATORS there are no pages of operators', async t => {
  const dashboard = await startDashboard(t)
  const ops = await signInAs(dashboard, OPERATOR)
  for (const path of PAGES) t.equal((await ops.fetch(path)).status, 404, path)
})

t.test("an address like an operator's opens no page of operators", async t => {
  const provider = await startIdentityProvider(t)
  const dashboard = await startDashboard(t, { ...provider.env, ...ENV })
  const { accounts, origin } = dashboard
  const signIn = async (claims: Record<string, unknown>) => {
    provider.overrides.claims = claims
    const browser = new Browser(origin)
    await provider.signIn(browser)
    return browser
  }
  const cases: [name: string, claims: Record<string, unknown>, status: number][] = [
    ['an unverified address', { sub: '1', email: OPERATOR, email_verified: false }, 404],
    ['a part of the address', { sub: '4', email: 'ps@example.org', email_verified: true }, 404],
    ['the verified address in capitals', { sub: '5', email: 'OPS@example.org', email_verified: true }, 200],
    ['the same address of another person', { sub: '6', email: OPERATOR, email_verified: true }, 404],
  ]
  for (const [name, claims, status] of cases) {
    const browser = await signIn(claims)
    t.equal((await browser.fetch('/operator/accounts')).status, status, name)
  }
  // An earlier version opened accounts without verifying the address.
  await accounts.createAccount({
    email: 'boss@example.org',
    identity: { issuer: 'https://old.example', subject: 'x' },
  })
  const taken = await signIn({ sub: '7', email: 'boss@example.org', email_verified: true })
  t.equal((await taken.fetch('/operator/accounts')).status, 404, 'the account is somebody else’s')
})

t.test('forms of operators refuse replays and other sessions', async t => {
  const { dashboard, id, page } = await start(t)
  const { accounts } = dashboard
  const ops = await signInAs(dashboard, OPERATOR)
  const csrf = await ops.token(page)
  const form = { csrf, usd: '5', again: '5', reference: 'invoice-1' }
  const other = await signInAs(dashboard, OPERATOR)
  t.equal((await other.post(`${page}/credit`, form)).status, 403, 'a form of another session')
  t.equal((await ops.post(`${page}/credit`, { ...form, csrf: 'guess' })).status, 403, 'without its token')
  t.equal((await ops.post(`${page}/credit`, form, 'https://evil.example')).status, 403, 'from another origin')
  t.equal(accounts.account(id)?.balanceMicros, NEW_ACCOUNT_CREDIT_MICROS)
  for (let click = 0; click < 3; click++) t.equal((await ops.post(`${page}/credit`, form)).status, 303)
  t.equal(accounts.account(id)?.balanceMicros, 5_028_000, 'three clicks are one credit')
  const { csrf: _, ...again } = form
  t.equal((await ops.submit(page, `${page}/credit`, again)).status, 303)
  t.match(await ops.read(`${page}/money`), 'has been used before')
  t.equal(accounts.account(id)?.balanceMicros, 5_028_000, 'the same reference on a new page is refused')
  const conflict = await ops.expectRefused(page, `${page}/refund`, {
    usd: '1',
    again: '1',
    reference: 'invoice-1',
  })
  t.match(conflict, /id="problem-reference">[^<]*belongs to another entry/)
  const early = await ops.expectRefused(page, `${page}/credit`, { usd: '1', reference: 'invoice-1' })
  t.match(early, /id="problem-reference">[^<]*another entry: \$5.00 of /, 'before a preview')
  const comma = await ops.expectRefused(page, `${page}/credit`, { usd: '12,50', reference: 'x' })
  t.match(comma, 'Write a point instead of the comma: 12.50.')
  for (const usd of ['', '0', '-1', 'all', '5,00', '1000000.01'])
    t.match(await ops.expectRefused(page, `${page}/credit`, { usd, reference: 'x' }), 'id="problem-usd"', usd)
  const back = { usd: '$2', reference: 'back', seen: '' }
  t.equal((await ops.submit(page, `${page}/refund`, back)).status, 303)
  t.equal(accounts.account(id)?.balanceMicros, 3_028_000)
})

t.test('an operator suspends, resumes and closes an account, and its owner sees it', async t => {
  const { dashboard, id, key, secret, page } = await start(t)
  const { accounts, dataPlane } = dashboard
  const ops = await signInAs(dashboard, OPERATOR)
  const ada = await signInAs(dashboard, 'ada@example.org')
  t.match(
    await ops.expectRefused(page, `${page}/suspend`, { reason: '' }),
    'id="problem-reason"',
    'without reason',
  )
  t.equal((await ops.submit(page, `${page}/suspend`, { reason: 'unpaid <b>invoice</b>' })).status, 303)
  t.notOk(answers(dashboard, secret), 'its keys are refused')
  const head = await ops.read(page)
  t.match(
    head,
    /banner" role="status"><span>This account has been suspended since .*: unpaid &lt;b&gt;invoice/,
  )
  t.match(head, /Balance<.*keys are refused while suspended<.*<dt>Used</s)
  t.match(head, /class="button primary" href="[^"]*">Resume</, 'what it needs most')
  t.match(head, /Latest changes.*Suspended the account: unpaid.*\/operator\/log\?q=acct_/s)
  const of = { status: 401, error: 'Invalid API key', sender: secret.slice(0, 12) }
  dataPlane.activity.refusals = () =>
    (['suspended', 'unknown'] as const).map(keyRefusal => refusalCount({ ...of, keyRefusal }))
  const reasons = await ops.read(page)
  t.match(reasons, `${page}/keys/${key}">Tell them to copy the whole secret`, 'the remedy of the key')
  t.equal(reasons.split('>Resume the account<').length, 2, 'of one reason')
  dataPlane.activity.refusals = () => []
  t.match(await ada.read('/balance'), 'unpaid &lt;b&gt;invoice&lt;/b&gt;', 'its owner reads why')
  t.match(await ada.read('/keys'), /<fieldset disabled="">.*Create New Key<.*<\/fieldset>/s, 'shut')
  for (const [reader, path] of [
    [ada, '/keys'],
    [ops, page],
  ] as const) {
    const { text } = await reader.visit(path)
    t.match(text, 'refused: account suspended', `${path} says what its keys get`)
    t.notMatch(text, '<span class="tag good">active</span>')
  }
  const support = '<a href="mailto:help@postrie.example">help@postrie.example</a>'
  t.match(await ada.read('/usage'), support, 'every page says who can help')
  t.match(await ada.read('/account'), support)
  t.notMatch(await ada.read('/'), 'No errors', 'the overview does not contradict its banner')
  for (const [from, form] of [
    ['/keys', '/keys'],
    ['/limits', '/limits'],
    ['/balance', '/balance/recharge'],
  ] as const)
    t.equal((await ada.submit(from, form, { usd: '5', label: 'x' })).status, 403, `its session sends ${form}`)
  t.equal(accounts.listKeys(id).length, 1)
  t.equal((await ops.submit(page, `${page}/resume`, { reason: 'paid' })).status, 303)
  t.ok(answers(dashboard, secret))
  t.equal((await ada.submit('/limits', '/limits')).status, 303)
  t.match(
    await ops.expectRefused(page, `${page}/close`, { reason: 'x', email: 'other' }),
    'not the address of the',
  )
  t.equal(accounts.account(id)?.standing, null, 'a close has to be typed')
  const close = { reason: 'asked for in ticket 4711.', email: 'ADA@example.org' }
  t.equal((await ops.submit(page, `${page}/close`, close)).status, 303)
  t.notMatch(await ops.read(`${page}/keys/${key}`), />(Switch off|Revoke|Rename)</, 'its keys offer nothing')
  await ops.submit(page, `${page}/keys/${key}/roll`, { overlap: '0', from: secret.slice(0, 12) })
  t.match(await ops.read(`${page}/keys/${key}/roll`), 'is closed, which is final')
  t.match(accounts.account(id), { standing: { state: 'closed' }, balanceMicros: 0 })
  const closed = await ada.read('/receipts')
  t.match(closed, 'Account closed', 'its owner still reads the statement')
  t.match(closed, /Credited \$0\.028<\/span> · <span[^>]*>Forfeited −\$0\.028</)
  t.match(
    closed,
    `ticket 4711. Requests with its keys are refused with 401.</span> Ask the operator: ${support}.</div>`,
  )
  t.equal((await ada.submit('/', '/sign-out')).status, 303, 'the owner signs out')
  const own = `/operator/accounts/${accounts.account(OPERATOR)?.id}`
  t.match(await ops.expectRefused(own, `${own}/suspend`, { reason: 'x' }), 'your own account', 'not oneself')
})

t.test('money that came through Stripe is refunded at Stripe, and other money only as it came', async t => {
  const { dashboard, id, page } = await start(t)
  const { accounts } = dashboard
  const ops = await signInAs(dashboard, OPERATOR)
  const run = executeOn(accounts, COMMAND_LINE)
  await accounts.credit({ account: id, micros: 50_000_000, reference: 'stripe:pi_17', kind: 'payment' })
  const link = '<a href="https://dashboard.stripe.com/payments/pi_17">'
  const atStripe = await ops.read(`${page}/refund`)
  t.match(atStripe, `is left.</p><p>${link}Refund $50.00 at Stripe</a>: it is deducted here by itself.</p>`)
  t.notMatch(atStripe, /<input name="usd"|No money moves here/, 'no form, and no word of one')
  t.notMatch(atStripe, '<div class="problem"', 'nothing is wrong')
  t.match(await ops.read(`${page}/money`), `${link}Refund it at Stripe</a>`)
  const closing = await ops.read(`${page}/close`)
  t.match(
    closing,
    /<div class="problem"><p>This is final\. The balance of \$50\.028 is forfeited\..*a debt\.<.*>Refund \$50\.00 at Stripe</,
  )
  const double = { account: id, usd: '50', reference: 'R-1' }
  const elsewhere =
    /nothing that operators credited is left\. Refund \$50\.00 at dashboard\.stripe\.com\/payments: it is/
  await t.rejects(run('account.refund', double), elsewhere)
  const forged = { usd: '50', again: '50', reference: 'R-1' }
  t.match(
    await ops.expectRefused(page, `${page}/refund`, forged),
    /role="alert">Nothing can be refunded here/,
  )
  await t.rejects(
    run('account.refund', { ...double, usd: '5' }),
    /Refund \$5\.00 at dashboard\S+ it is deducted here by itself\. With --confirm/,
    'an answer on the typed amount',
  )
  t.equal(accounts.account(id)?.balanceMicros, 50_028_000, 'only Stripe deducts it')
  const atProvider = { account: id, payment: 'stripe:pi_17', kind: 'refund' } as const
  await accounts.adjust({ ...atProvider, micros: 40_000_000, reference: 'stripe:re' })
  t.match(
    await ops.read(`${page}/money`),
    `${link}Refund the other $10.00 at Stripe</a>: it is deducted here`,
  )
  await accounts.adjust({ ...atProvider, micros: 10_000_000, reference: 'stripe:re2' })

  await accounts.credit({ account: id, micros: 120_000_000, reference: 'invoice-7', kind: 'operator' })
  t.match(await ops.read(`${page}/refund?usd=9&reference=r`), 'No money moves here', 'also to confirm it')
  const form = await ops.read(`${page}/refund`)
  for (const part of ['No money moves here', 'At most $120.00 can be refunded here: it leaves no debt.'])
    t.match(form, part)
  const usual = await ops.read(`${page}/refund?usd=120&reference=r`)
  t.notMatch(usual, /Owed after|name="again"/)
  t.match(usual, `href="${page}/refund?change=120&amp;reference=r&amp;note=">Change</a>`)
  const changing = await ops.read(`${page}/refund?change=120&reference=r&note=n`)
  for (const [name, value] of Object.entries({ usd: '120.00', reference: 'r', note: 'n' }))
    t.match(changing, RegExp(`name="${name}" value="${value}"`), 'what was typed is kept')
  t.match(changing, /name="usd"[^>]* autofocus=""/, 'the cursor is in the first field')
  const part = { usd: '12', seen: '', reference: 'bank 17' }
  const done = await ops.submit(page, `${page}/refund`, part)
  t.equal(done.headers.get('Location'), `${page}/money`, 'the tab with the new line')
  const beyond = { usd: '108.01', reference: 'r' }
  await t.rejects(run('account.refund', { account: id, ...beyond }), {
    message: /^At most \$108\.00 can be refunded here: it leaves no debt\./,
  })
  const tooMuch = await ops.expectRefused(page, `${page}/refund`, beyond)
  t.match(
    tooMuch,
    /id="problem-usd"[^<]*At most \$108\.00 can be refunded here: it leaves no debt\.</,
    'at the field',
  )
  await t.rejects(
    run('account.close', { account: id, reason: 'x' }),
    /\$108\.028 would be forfeited\. .* --confirm/,
  )
  // The account has used some of what came in.
  await accounts.adjust({ ...atProvider, micros: 30_000_000, reference: 'stripe:dp', kind: 'dispute' })
  const debt = await ops.read(`${page}/refund?usd=108&reference=r`)
  t.match(debt, /<h1>Record a refund of \$108\.00: ada@example\.org\?<.*Owed after.*\$29\.972.*name="again"/s)
  const half =
    'At most $108.00 can be refunded here: up to $78.028 without a debt, and all of it would leave $29.972 owed.'
  t.match(await ops.read(`${page}/close`), `${half} <a href="${page}/refund">Record a refund</a>`)
  const unseen = { usd: '108', seen: '', reference: 'r', note: 'a <b>dispute' }
  await ops.submit(page, `${page}/refund`, unseen)
  t.equal(accounts.account(id)?.debtMicros, 0, 'it is not typed again')
  await ops.submit(page, `${page}/refund`, { ...unseen, again: '108' })
  t.match(await ops.read(`${page}/money`), 'Refund recorded. The balance is −$29.972.')
  const again = { account: id, usd: '108', reference: 'r' }
  t.match(await run('account.refund', again), { applied: false }, 'a repetition changes nothing')
  const nothing = await ops.read(`${page}/refund`)
  t.match(
    nothing,
    '<p>Nothing can be refunded: no payment and nothing that operators credited is left.</p></div>',
  )
  t.match(await ops.read(`${page}/close`), '$29.972 is owed and will stay owed')
  const debtor = await ops.read(page)
  t.same(debtor.match(/class="button primary" href="[^"]*">[^<]*/g), [
    `class="button primary" href="${page}/money">See its statement`,
  ])
  t.match(debtor, `<a href="${page}/money">after a dispute of $30.00</a>`)
  t.notMatch(await ops.read(`${page}/money`), 'button primary', 'not a link to its own page')
  t.match(await ops.read(`${page}/money`), /r · a &lt;b&gt;dispute/, 'the note is in the statement')
  const credit = await ops.read(`${page}/credit?usd=25&reference=c`)
  t.match(credit, /Owed after.*\$4\.972.*refused until more is paid/s)
  t.notMatch(credit, 'class="danger"')
  await ops.submit(page, `${page}/credit`, { usd: '25', again: '25', reference: 'c' })
  t.match(await ops.read(`${page}/money`), 'Credited. The balance is −$4.972.')
  const bob = (await accounts.createAccount({ email: 'bob@example.org' })).id
  await accounts.adjust({ account: bob, micros: 50_000_000, reference: 'b', kind: 'dispute' })
  const lowest = await ops.read('/operator/accounts?state=owing&order=balance&way=reversed')
  const usualOrder = await ops.read('/operator/accounts?state=owing')
  for (const list of [lowest, usualOrder])
    t.match(
      list.split('<tbody>')[1],
      /^.{0,300}bob@example\.org.*<span title="−\$49\.972">−\$49\.97\s+</s,
      'the largest first',
    )
  const owing = await run('account.search', { state: 'owing' })
  t.match(owing, { accounts: [{ id: bob }, { id }] }, 'as in the command')
  await accounts.closeAccount(bob, 'charged back')
  t.notMatch(await ops.read('/operator/accounts?state=owing'), 'bob@', 'nobody can pay this debt')
  t.match(await ops.read('/operator/accounts?state=closed'), /bob@.*>closed<.*>owes money</s)
  const owed = (state: string, text: string) =>
    `<dd class="hint"><a href="/operator/accounts\\?state=${state}">\\${text} accounts</a></dd>`
  t.match(
    await ops.read('/operator/revenue'),
    RegExp(
      `Owed to us now</dt><dd>\\$54\\.94</dd>${owed('owing', '$4.972 by open')}<dd class="hint">\\$49\\.972 by closed accounts</dd>`,
    ),
  )
  for (const [state, text] of [
    ['owing', '$4.972'],
    ['closed', '$49.972'],
  ])
    t.match(
      await ops.read(`/operator/accounts?state=${state}`),
      `, owed <span title="${text}">`,
      'as its list says',
    )
  await accounts.credit({ account: bob, micros: 60_000_000, reference: 'stripe:pi_18', kind: 'payment' })
  t.match(rowsOf(await ops.read('/operator/service'), 'Who needs you'), [
    /^bob@example\.org \| \$50\.00 disputed · See its statement ?closed, and paid \$10\.03 afterwards · Refund it at Stripe$/,
    /^ada@example\.org \| \$30\.00 disputed, so it owes \$4\.97 · See its statement$/,
  ])
  const bobs = await ops.read(`/operator/accounts/${bob}`)
  t.match(
    bobs,
    /It was closed, and paid \$10\.03 afterwards\..{0,60}dashboard\.stripe\.com\/payments\/pi_18">Refund it/,
  )
})

t.test("an operator changes limits, and sees caps, rules and the provider's ids of payments", async t => {
  const { dashboard, id, key, secret, page } = await start(t)
  const { accounts } = dashboard
  const ops = await signInAs(dashboard, OPERATOR)
  t.match(
    await ops.expectRefused(`${page}/limits`, `${page}/limits`, { perMinute: 'many' }),
    'id="problem-perMinute">A limit must be a whole number from 1 to 10,000,000, or empty for none.<',
  )
  await ops.submit(`${page}/limits`, `${page}/limits`, { perMinute: '6,000', perHour: '', perDay: '' })
  t.match(accounts.account(id)?.limits, { perMinute: 6000, perHour: null })
  t.match(await ops.read(page), '6,000 a minute')
  const present = await ops.read(`${page}/limits`)
  t.match(present, /value="6,000".*0 counted this minute, 0%</s, 'present values and use')
  await ops.submit(`${page}/limits`, `${page}/limits`, { perMinute: '', perHour: '', perDay: '' })
  t.equal(accounts.account(id)?.limits, null)
  t.match(await ops.read(page), /from the next request: none\..*No request was refused since/s)
  await accounts.setKeyCap(key, 2_500_000)
  const changes: string[] = []
  accounts.onAudited(({ what }) => changes.push(what))
  await ops.submit(page, `${page}/keys/${key}/cap`, { usd: '2.50' })
  t.match(await ops.read(`${page}/keys/${key}`), 'Nothing was changed: the key has this cap already.')
  const capped = await executeOn(accounts, COMMAND_LINE)('key.cap', { key, usd: '2.50' })
  t.match(capped, { applied: false, cap: 2.5 })
  for (const [name, params] of [
    ['key.on', { key }],
    ['key.roll', { key, endOverlap: true }],
  ] as const)
    t.match(await executeOn(accounts, COMMAND_LINE)(name, params), { applied: false }, name)
  t.same(changes, [], 'nothing is logged')
  await accounts.setKeyRules(key, { ...NO_RULES, limits: { perMinute: 7, perHour: null, perDay: null } })
  charge(accounts, secret)
  await accounts.rollKey(key, 3_600_000)
  const row = /7 a minute; earlier secret until .*data-head="Spent this month">.{0,99}of \$2\.50</s
  t.match(await ops.read(page), row)
  await accounts.credit({ account: id, micros: 5_000_000, reference: 'stripe:pi_17', kind: 'payment' })
  await accounts.credit({ account: id, micros: 1_000_000, reference: 'test:form-8', kind: 'test' })
  const { text } = await ops.visit(page)
  const money = await ops.read(`${page}/money`)
  t.match(money, /form-8.*pi_17/s)
  t.notMatch(money, '>Receipt<', 'receipts are for their owners')
  t.same(
    Array.from(text.matchAll(/class="button danger" href="[^"]*\/(\w+)"/g), ([, name]) => name),
    ['suspend', 'close'],
    'red is what stops the keys',
  )
  t.match(await ops.read(`${page}/statement.csv`), /payment,5\.000000,.*stripe:pi_17/)
})

t.test('only operators see the note on an account, and the log has each version', async t => {
  const { dashboard, id, page } = await start(t)
  const ops = await signInAs(dashboard, OPERATOR)
  await ops.submit(page, `${page}/note`, { note: 'x'.repeat(501) })
  t.match(await ops.read(`${page}/note`), /id="problem-note".*At most 500 characters/s)
  await ops.submit(page, `${page}/note`, { note: 'pays <late>\r\nor never' })
  t.match(await ops.read(`${page}/note`), />pays &lt;late&gt;\nor never<\/textarea>/)
  await ops.submit(page, `${page}/note`, { note: 'pays on time' })
  for (const tab of ['', '/money', '/members'])
    t.match(
      await ops.read(page + tab),
      /<p class="caution note"><strong>Note of the operators:<\/strong> pays on time<.*<dl class="facts">/s,
    )
  const notes = await ops.read('/operator/log?what=note')
  t.match(
    notes,
    /to pays on time<span class="under">of <a [^>]*>ada@example\.org<\/a> · before: pays &lt;late&gt;\nor never</,
  )
  t.match(notes, /2 entries</, 'nothing but notes')
  await dashboard.restart()
  t.equal(dashboard.accounts.account(id)?.note, 'pays on time')
  const ada = await signInAs(dashboard, 'ada@example.org')
  const own = [
    PAGES_OF_OWNERS,
    '/account/log?what=all',
    '/account/log.csv?what=all',
    '/account/log.csv?who=operator',
  ]
  for (const path of own.flat()) t.notMatch(await ada.read(path), /pays|Note/, path)
})

t.test('an operator sees the pages of an account as its owner does, and changes nothing there', async t => {
  const { dashboard, id, key, page } = await start(t)
  const { accounts } = dashboard
  const ada = await signInAs(dashboard, 'ada@example.org')
  await ada.submit('/alerts', '/alerts', { url: 'https://example.org/hook', webhook: 'key.created' })
  const [, secret = '-'] =
    /data-copy-source[^>]*>(whsec\w+|[\w-]{20,})</.exec(await ada.read('/alerts')) ?? []
  await accounts.teams.invite(id, { email: 'bob@example.org', role: 'billing' })
  t.match(await ada.read('/account/members'), '/invitation/')
  const ops = await signInAs(dashboard, OPERATOR)
  t.notMatch(await ops.read(`/operator/accounts/${accounts.account(OPERATOR)?.id}`), 'View as customer')
  const viewed = await ops.submit(page, `${page}/view`, { to: 'requests' })
  t.equal(viewed.headers.get('Location'), '/requests')
  for (const path of PAGES_OF_OWNERS) {
    const text = await ops.read(path)
    t.match(
      text,
      /<main [^>]*><div class="caution banner"[^>]*><span>You see the account ada@example\.org as its owner does\. Its forms are refused\.<.*<h1/s,
      path,
    )
    for (const hidden of [secret, 'example.org/hook', '/invitation/']) t.notMatch(text, hidden, path)
  }
  await accounts.createAccount({
    email: 'bob@example.org',
    identity: { issuer: PROVED_EMAIL, subject: 'bob@example.org' },
  })
  const bob = accounts.account('bob@example.org')?.id ?? ''
  await accounts.teams.add(id, bob, 'billing')
  await accounts.teams.invite(id, { email: 'eve@example.org', role: 'developer' })
  t.match(await ops.read('/account/members'), /<a aria-disabled="true"[^>]*>Remove<\/a>/)
  const team = `${page}/members`
  const people = await ops.read(team)
  const { id: awaited } = await accounts.createAccount({ email: 'dora@example.org' })
  t.match(await ops.read(`/operator/accounts/${awaited}/members`), /dora@.*Owner \(has not signed in yet\)/s)
  const listed = executeOn(accounts, COMMAND_LINE)('member.list', { account: awaited })
  t.match(await listed, { members: [{ email: 'dora@example.org', role: 'owner', signedIn: false }] })
  t.match(people, `<a href="/operator/accounts/${bob}" class="label" title="bob@example.org">`)
  t.match(people, `${dashboard.origin}/invitation/${id}</code>`, 'the link to send again')
  await ops.submit(team, `${team}/role`, { person: bob, role: 'developer' })
  t.match(accounts.teams.roleOf(id, bob), 'developer', 'an operator changes a role')
  await ops.submit(team, `${team}/remove`, { person: bob })
  t.equal(accounts.teams.roleOf(id, bob), null, 'an operator removes a member')
  const [, withdraw = ''] = /href="([^"]*)" aria-label="Withdraw the invitation of eve@/.exec(people) ?? []
  t.match(await ops.read(withdraw), 'Withdraw the invitation of eve@example.org?')
  const invitation = withdraw.split('=')[1]
  t.equal((await ops.submit(team, `${team}/withdraw`, { invitation })).headers.get('Location'), team)
  t.same(accounts.teams.of(id).invitations, [], 'an operator withdraws an invitation')
  await ops.submit(team, `${team}/invite`, { email: 'fay@example.org', role: 'owner' })
  t.match(accounts.teams.of(id).invitations, [{ email: 'fay@example.org', by: OPERATOR }])
  t.match(
    await ops.read(`/keys/${key}`),
    /production.*<fieldset disabled="">.*Not possible as an operator\..*href="\/operator\/accounts\/acct_/s,
  )
  const service = await ops.read('/operator/service')
  t.match(service, /A view of ada@example\.org is open\..*<button type="submit">End the view</s)
  t.notMatch(service, 'Its forms are refused', 'forms of operators work')
  for (const text of ['Roll', 'Revoke'])
    t.match(
      await ops.read(`/keys/${key}`),
      new RegExp(`<a class="button [^"]*" aria-disabled="true">${text}<`),
    )
  const csrf = await ops.token('/keys')
  for (const path of [
    '/keys',
    `/keys/${key}/revoke`,
    '/limits',
    '/balance/threshold',
    '/account/leave',
    '/alerts',
  ])
    t.equal((await ops.post(path, { csrf, label: 'x' })).status, 403, path)
  t.equal(accounts.listKeys(id).length, 1)
  t.match(await ada.read('/account/log?what=all'), /Viewed the pages as an owner.*the operator/s)
  t.match(
    await ops.read('/operator/log?what=viewed'),
    `Viewed the pages as an owner<span class="under">of <a href="${page}">ada@example.org</a>`,
  )
  await dashboard.restart()
  const later = new Browser(dashboard.origin, ops.cookies)
  t.match(await later.read('/'), 'Its forms are refused', 'until it ends')
  const own = dashboard.accounts.account(OPERATOR)?.id ?? ''
  const ended = await later.submit('/', '/account/switch', { account: own })
  t.equal(ended.headers.get('Location'), page, "the end leads back to the operator's page")
  t.notMatch(await later.read('/'), 'Its forms are refused')
  t.equal((await later.submit('/keys', '/keys', { label: 'own' })).status, 303)
  t.notMatch((await later.signIn(OPERATOR)).url, '/operator', 'an operator with a key of their own')
  const eve = await signInAs(dashboard, 'eve@example.org')
  t.equal((await eve.submit('/', `${page}/view`)).status, 404)
})

t.test('a suspended operator loses the session', async t => {
  const { dashboard, page } = await start(t)
  const ops = await signInAs(dashboard, OPERATOR)
  t.equal((await ops.fetch(page)).status, 200)
  await dashboard.accounts.suspend(OPERATOR, 'left the company')
  for (const path of [...PAGES, page]) t.equal((await ops.fetch(path)).status, 404, path)
  t.equal((await ops.submit('/keys', `${page}/suspend`, { reason: 'x' })).status, 403)
  t.equal(dashboard.accounts.account('ada@example.org')?.standing, null)
})

t.test('an operator finds accounts by email, id and key, and revokes a key', async t => {
  const passTime = movableClock(t)
  const { dashboard, id, key, secret, page } = await start(t)
  for (let n = 0; n < 60; n++) await dashboard.accounts.createAccount({ email: `person${n}@example.net` })
  const ops = await signInAs(dashboard, OPERATOR)
  const listed = async (query: string) => {
    const text = await ops.read(`/operator/accounts?${query}`)
    return [...text.matchAll(/href="\/operator\/accounts\/(acct_\w+)[?"]/g)].map(([, account]) => account)
  }
  const found = (q: string) => listed(`q=${encodeURIComponent(q)}`)
  for (const q of ['ADA@', id, id.slice(0, 12), key, secret, secret.slice(0, 12), 'Product'])
    t.same(await found(q), [id], q)
  const list = '/operator/accounts'
  const sent = await ops.submit(list, `${list}/search`, { q: secret, state: 'active' })
  const found12 = `${list}?q=${secret.slice(0, 12)}&state=active`
  t.equal(sent.headers.get('Location'), found12, 'no address has a key')
  for (const address of [found12, `${list}?q=${secret}`]) t.notMatch(await ops.read(address), secret)
  const { id: closed } = await dashboard.accounts.createAccount({ email: 'closed@example.net' })
  await dashboard.accounts.closeAccount(closed, 'left')
  t.notMatch(await ops.read(`${list}?state=empty`), closed, 'a closed account needs no balance')
  t.match(await ops.read(found12), `<span class="under small">production (${secret.slice(0, 12)}…)</span>`)
  t.same(await found('nobody'), [])
  t.match(await ops.read('/operator/accounts?q=nobody'), 'No account matches')
  t.equal((await found('')).length, 50)
  t.match(await ops.read('/operator/accounts?page=2'), 'of 2, 63 accounts')
  await dashboard.accounts.credit({ account: id, micros: 7_000_000, reference: 'r', kind: 'operator' })
  const largest = await ops.visit('/operator/accounts?order=balance')
  t.match(largest.text, /aria-sort="descending"><a [^>]*>Balance ↓/)
  t.match(largest.text.split('<tbody>')[1], /^.{0,300}ada@example\.org/s, 'the largest balance is first')
  t.match(
    largest.text,
    /Balances <span title="\$8\.736">\$8\.74</,
    'the sum of all: 62 times the free credit, and $7',
  )
  const [, reverse = ''] = /<a href="([^"]+)">Balance ↓/.exec(largest.text) ?? []
  const smallest = await ops.read(reverse.replaceAll('&amp;', '&'))
  t.match(smallest, /aria-sort="ascending"><a [^>]*>Balance ↑/)
  t.notMatch(smallest, 'ada@example.org', 'the largest is on the last page')
  t.match(await ops.read('/operator/accounts?q=ADA@'), /1 account. Balances <span title="\$7\.028">\$7\.03</)
  for (const order of ['balance', 'spent', 'seen', 'email', '<script>'])
    t.equal((await ops.visit(`/operator/accounts?order=${encodeURIComponent(order)}`)).status, 200, order)
  const inState = (state: string) => listed(`state=${state}`)
  t.same(await inState('owing'), [])
  t.same(await inState('new&q=ADA@'), [id])
  t.same(await inState('unused&q=ADA@'), [id])
  t.equal((await inState('new&q=ops@')).length, 1, 'an account of an operator counts like others')
  t.match(
    await ops.read('/operator/accounts?q=ADA@'),
    '>New this week (62)<',
    'of all accounts, without closed ones',
  )
  await dashboard.accounts.teams.invite(id, { email: 'guest@example.com', role: 'billing' })
  t.same(await found('GUEST@'), [id], 'an invited person')
  t.match(await ops.read(`${list}?q=guest@`), '<span class="under small">guest@example.com (billing)</span>')
  t.same(await inState('errors'), [])
  dashboard.dataPlane.activity.refusals = slot =>
    slot === null
      ? []
      : [refusalCount({ sender: dashboard.accounts.keySlotOf(key), status: 429, requests: 1 })]
  for (const who of [dashboard.accounts.slotOf(id), secret.slice(0, 12)]) {
    dashboard.dataPlane.activity.refusedCounts = () =>
      new Map([who, 'pk_live_none', null].map(each => [each, 1]))
    t.same(await inState('errors'), [id], `errors of ${who}`)
  }
  await dashboard.accounts.setNote(id, 'pays by Bank transfer')
  t.same(await found('bank TRANSFER'), [id], 'notes are searched')
  const other = await dashboard.accounts.createAccount({ email: 'other@example.net' })
  const { secret: otherSecret, id: otherKey } = await dashboard.accounts.createKey(other.id)
  const { activity } = dashboard.dataPlane
  const { accounts } = dashboard
  const slots = [accounts.slotOf(id), accounts.slotOf(other.id)]
  activity.refusedCounts = () => new Map(slots.map((slot, at) => [slot, 3 + 6 * at]))
  const lastMs = Date.now() - 9 * 60_000
  activity.refusals = slot => {
    const of = (id: string, status: number, requests: number) =>
      refusalCount({ sender: accounts.keySlotOf(id), status, requests, error: 'x', lastMs })
    if (slot === slots[0]) return [of(key, 429, 3), of(key, 404, 80)]
    return slot === slots[1] ? [of(otherKey, 402, 4), of(otherKey, 429, 5)] : []
  }
  t.same(await inState('errors'), [other.id, id], 'the most refused requests are first')
  t.same(await inState('errors&order=refused&way=reversed'), [id, other.id])
  const errors = await ops.read(`${list}?state=errors`)
  t.match(errors, /5 refused 9 minutes ago: x<.*data-head="Refused">9</)
  t.match(errors, 'requests that got 401, 402, 403, 429 and would get it again')
  const byRefused = rowsOf(await ops.read(`${list}?order=refused`), 'Accounts')
  t.match(byRefused, [/^other@.* \| 9 \| /, /^ada@/], 'among all accounts')
  const service = { ...dashboard, createToken: () => ({ address: '', endMs: 0 }) }
  const search = executeOn(accounts, COMMAND_LINE, service)('account.search', { state: 'errors' })
  t.match(await search, {
    accounts: [
      { refused: 9, reason: /^429 / },
      { refused: 3, reason: /^429 / },
    ],
  })
  t.match(await ops.read(`${list}?q=other@`), '9 minutes ago: x', 'in every list')
  activity.refusals = slot =>
    slot === slots[0] ? [refusalCount({ sender: 1, status: 404, requests: 9 })] : []
  t.same(await inState('errors'), [], 'a code that is not found is normal use')
  activity.refusals = () => []
  const marked = await ops.read(`/operator/accounts/${other.id}?q=${otherSecret.slice(0, 12)}`)
  t.match(marked, /other@.*1 key</s)
  t.match(await ops.read(`/operator/accounts/${other.id}?q=none`), 'No key matches.')
  t.same(await inState('ending'), [])
  charge(dashboard.accounts, secret, 0, 200_000)
  dashboard.accounts.usage(id, { by: 'day' })
  const { id: trial } = await dashboard.accounts.createAccount({ email: 'trial@example.net' })
  charge(dashboard.accounts, (await dashboard.accounts.createKey(trial)).secret, 0, 400)
  dashboard.accounts.usage(trial, { by: 'day' })
  const { id: sooner } = await dashboard.accounts.createAccount({ email: 'sooner@example.net' })
  await dashboard.accounts.credit({ account: sooner, micros: 1e6, reference: 'stripe:s', kind: 'payment' })
  charge(dashboard.accounts, (await dashboard.accounts.createKey(sooner)).secret, 0, 34_000)
  dashboard.accounts.usage(sooner, { by: 'day' })
  const unknown = await ops.read(`/operator/accounts/${trial}`)
  t.match(unknown, 'Days left are shown after a day of use.')
  t.same(await inState('ending'), [sooner, id], 'the pace is not known yet, unless half of it is used')
  t.match(
    rowsOf(await ops.read('/operator/service'), 'Who needs you'),
    [
      /^sooner@example\.net \| runs out in less than a day: \$0\.076 left · Write to them$/,
      /^ada@.* runs out in less/,
    ],
    'on the first day',
  )
  t.match(await ops.read(`${list}?q=trial@`), /data-head="Days left">—</)
  passTime(86_400_000)
  t.match((await ops.signIn(OPERATOR)).url, '/operator/service', 'an operator has no first steps')
  t.same(await inState('ending'), [sooner, id, trial], 'the first to run out is first')
  const bySearch = await executeOn(accounts, COMMAND_LINE)('account.search', { state: 'ending' })
  t.match(bySearch, { accounts: [{ id: sooner }, { id }, { id: trial }] }, 'as in the command')
  t.same(await inState('ending&paid=yes'), [sooner, id])
  t.same(await inState('ending&paid=no'), [trial])
  t.match(await ops.read(list), '>Runs out in a week (3)<')
  const ending = await executeOn(dashboard.accounts, COMMAND_LINE)('account.search', { state: 'ending' })
  t.match(ending, { accounts: [{ daysLeft: 0 }], matches: 3 }, 'the command says when')
  t.equal(valueText('daysLeft', 0), 'under 1', 'in the words of the page')
  t.match(
    await ops.read('/operator/service'),
    /Who needs you<.*sooner@.*runs out in less than a day: .*ada@.*runs out in .*mailto:ada@example.org"/s,
    'paying accounts by name',
  )
  t.match(await ops.read(page), 'lasts for less than a day at the pace of the last')
  t.match(await ops.read(`${list}?q=ADA@`), /data-head="Days left">under 1</)
  t.same(await inState('ending&order=left&way=reversed'), [trial, id, sooner])
  await dashboard.accounts.suspend(sooner, 'asked for')
  t.same(await inState('ending'), [id, trial], 'a suspended account spends nothing')
  t.match(await ops.read('/operator/accounts?state=suspended'), /data-head="Days left">—</)
  t.same(await inState('unused&q=ADA@'), [])
  t.same(await inState('stopped'), [])
  passTime(7 * 86_400_000)
  await ops.signIn(OPERATOR)
  t.same(await inState('stopped'), [trial, id], 'charged once, but not in the last week, and not suspended')
  await accounts.adjust({ account: id, micros: 10e6, reference: 'charged back', kind: 'refund' })
  t.same(await inState('owing'), [id])
  t.same(await inState('empty'), [id])
  const ofKey = `${page}/keys/${key}`
  t.match(await ops.read(page), new RegExp(`<a href="${ofKey}" class="label" title="production">`))
  await ops.submit(ofKey, `${ofKey}/cap`, { usd: '12.50' })
  t.equal(accounts.key(key)?.capMicros, 12_500_000, 'an operator caps a key')
  const view = await ops.read(ofKey)
  t.match(view, /value="12\.50".*Log of this key/s)
  t.match(
    view,
    new RegExp(`<a href="${page}">ada@example.org</a>.*${secret.slice(0, 12)}….*Spent this month`, 's'),
  )
  const [main] = view.split('<main')[1].split('<dialog')
  t.notMatch(main, /href="\/(keys|usage|requests)/, 'no link leads to keys of the operator')
  await ops.submit(ofKey, `${ofKey}/cap`, { usd: '' })
  t.equal(accounts.key(key)?.capMicros, null)
  const rules = { perMinute: '1,000', perDay: '100', addresses: '203.0.113.0/24', endpoints: 'lookup' }
  await ops.submit(ofKey, `${ofKey}/rules`, rules)
  t.match(accounts.key(key)?.rules, {
    expiresMs: null,
    limits: { perMinute: 1000, perDay: 100 },
    addresses: ['203.0.113.0/24'],
    endpoints: ['lookup'],
  })
  t.match(await ops.read(page), 'only lookup; only from 203.0.113.0/24', 'an operator sees the rules')
  const { KEY_ENDPOINT } = ERRORS
  const byRules = { endpoint: 'city', error: KEY_ENDPOINT.text, status: 403, client: '192.0.2.7' }
  activity.refusals = () => [refusalCount({ ...byRules, sender: accounts.keySlotOf(key) })]
  t.match(await ops.read(page), new RegExp(`<a href="${ofKey}#rules[^"]*">Change the rules of the key</a>`))
  const show = executeOn(accounts, COMMAND_LINE, service)
  t.match(await show('account.show', { account: id }), { refusals: [{ status: 403, from: '192.0.2.7' }] })
  const { sightings } = activity
  const seen = {
    start: secret.slice(0, 12),
    requests: 5,
    refused: 2,
    queries: 3,
    firstMs: 1000,
    lastMs: 2000,
  }
  activity.sightings = sender =>
    sender === accounts.keySlotOf(key) ? ['192.0.2.7', ''].map(network => ({ network, ...seen })) : []
  const shown = await show('key.show', { key })
  t.match(shown, {
    refusals: [{ status: 403, from: '192.0.2.7', requests: 1 }],
    seenFrom: [
      { address: '192.0.2.7', seen: 5, errors: 2, spent: 0.000084, lastAt: '1970-01-01T00:00:02.000Z' },
      { address: 'all others' },
    ],
  })
  t.match(resultText(shown), /\nrefusals\n.*403.*\n\nseen from\nADDRESS .*\n192\.0\.2\.7 /s)
  activity.sightings = sightings
  const ofMany = { status: 400, error: 'records must be an array' }
  const { id: second } = await accounts.createKey(id, { label: 'second' })
  activity.refusals = () =>
    [key, second].map(each => refusalCount({ ...ofMany, sender: accounts.keySlotOf(each) }))
  t.match(await ops.read(page), RegExp(`>2 keys</summary>.*${ofKey}".*${page}/keys/${second}"`, 's'))
  activity.refusals = () => []
  await ops.submit(ofKey, `${ofKey}/rules`, {})
  t.same(accounts.key(key)?.rules, NO_RULES)
  const { id: leaked, start: replaced } = await accounts.createKey(id, { label: 'leaked' })
  const rolling = `${page}/keys/${leaked}/roll`
  t.match(
    await ops.read(rolling),
    /"0" selected="">Refuse it at once.*<option value="24h">1 day</s,
    'operators roll what has leaked',
  )
  const roll = { overlap: '0', from: replaced, csrf: await ops.token(rolling) }
  const [rolled, again] = [await ops.post(rolling, roll), await ops.post(rolling, roll)]
  t.equal(again.headers.get('Location'), rolled.headers.get('Location'), 'a second click rolls nothing')
  const fresh = await ops.read(rolled.headers.get('Location') ?? '')
  t.match(fresh, new RegExp(`${accounts.key(leaked)?.start}[0-9A-Za-z]{20}`), 'the new secret')
  t.match(
    fresh,
    `Its earlier secret ${replaced}… is refused from now on. Send the new one to ada@example.org`,
  )
  t.notMatch(await ops.read(page), /pk_live_[0-9A-Za-z]{20}/, 'once')
  t.match(
    await ops.read(`/operator/accounts?q=${replaced}`),
    `…), rolled from ${replaced}…`,
    'by its old start',
  )
  await accounts.rollKey(key, 3_600_000)
  const revoke = await ops.read(`${ofKey}/revoke`)
  t.match(revoke, /<h1>Revoke “production”\?<.* of ada@example\.org<.*class="danger">Revoke the key</s)
  t.match(revoke, `and with its earlier secret ${secret.slice(0, 12)}…, will get`)
  t.match(revoke, RegExp(`${ofKey}/roll">roll the key<.*${ofKey}/switch">switch it off<`, 's'))
  for (const to of ['off', 'on']) {
    t.match(await ops.read(ofKey), `>Switch ${to}<`)
    t.equal((await ops.submit(ofKey, `${ofKey}/switch`, { to })).status, 303)
    t.equal(answers(dashboard, secret), to === 'on', `an operator switches a key ${to}`)
  }
  t.equal((await ops.submit(ofKey, `${ofKey}/revoke`)).headers.get('Location'), ofKey)
  t.notOk(answers(dashboard, secret))
  t.notMatch(await ops.read(ofKey), 'works until', 'nor does its earlier secret')
  t.match(
    await ops.read(`/operator/log?q=${id}&key=${key}`),
    /<h2>ada@.*, key “production”<.*Revoked a key</s,
  )
  for (const path of ['accounts/acct_nobody', `accounts/${trial}/keys/${key}`, 'nothing']) {
    const missing = await ops.visit(`/operator/${path}`)
    t.equal(missing.status, 404, path)
    const what =
      { 'accounts/acct_nobody': 'There is no account acct_nobody.', nothing: 'There is no page /operator/' }[
        path
      ] ?? `This account has no key ${key}.`
    const to = path.includes(key) ? `/accounts/${trial}">To the account<` : '/accounts">To the accounts<'
    t.match(missing.text, RegExp(`href="/operator/log".*${what}.*${to}`, 's'), 'with the menu')
  }
  await dashboard.accounts.credit({ account: trial, micros: 2e6, reference: 'test:1', kind: 'test' })
  await dashboard.accounts.adjust({ account: trial, micros: 2e6, reference: 'back', kind: 'refund' })
  // $1 was paid at Stripe, and $2 by a test. Operators credited $7, and refunded $12.
  const paid =
    /data-head="Received"><span title="\$1\.00">\$1\.00<.{0,299}data-head="Credited"><span title="−\$5\.00">−\$5\.00<.*Test payments<\/dt><dd>\$2\.00</s
  const revenue = await ops.read('/operator/revenue')
  t.match(revenue, paid, 'refunds are subtracted from what they refund')
  t.match(revenue, 'Owed to us now</dt><dd>$8.57<')
  const dispute = {
    account: id,
    micros: 9e6,
    reference: 'stripe:dp',
    payment: 'stripe:pi',
    kind: 'dispute',
  } as const
  await dashboard.accounts.adjust(dispute)
  t.match(await ops.read('/operator/revenue'), /UTC\nReceived, US dollars: -8<\/title>/, 'a negative day')
  const usage = await dashboard.accounts.serviceUsage()
  usage.months[usage.months.length - 2].paidMicros = 3_700e6
  dashboard.accounts.serviceUsage = async () => usage
  const figure =
    />less refunds<\/dd><dd class="hint"><span title="\$3,700\.00">\$3,700\.00<\/span> in 20\d\d-\d\d</
  t.match(await ops.read('/operator/revenue'), figure, 'the month before')
})

t.test('the log has person, action and address, and hides operators from customers', async t => {
  const { dashboard, key, page } = await start(t)
  const ops = await signInAs(dashboard, OPERATOR)
  const ada = await signInAs(dashboard, 'ada@example.org')
  await ops.submit(page, `${page}/credit`, { usd: '5', again: '5', reference: 'invoice-1' })
  await ada.submit('/keys', '/keys', { label: 'mine' })
  const all = await ops.read('/operator/log.csv?what=all')
  t.match(all, /^time,what,account,email,key,details,kind,who,from\r\n/)
  t.match(all, /start,,,,.*service/, 'the start, with its settings')
  t.match(
    all,
    new RegExp(`credit,acct_\\w+,ada@example.org,,.*invoice-1.*,operator,${OPERATOR},127\\.0\\.0\\.1`),
  )
  t.match(all, /key,acct_\w+,ada@example.org,key_\w+,.*,customer,ada@example.org,127\.0\.0\.1/)
  t.match(all, /sign-in,acct_/)
  t.notMatch(all, /hash|pk_live_\w{12}/, 'no key, and no hash of one')
  t.match(await ops.read('/operator/log'), 'invoice-1')
  for (const q of ['ada@example.org', 'ADA@', 'Invoice-1', '00 (inv'])
    t.match(await ops.read(`/operator/log?q=${q}`), 'invoice-1', q)
  t.match(await ops.read('/operator/log?q=nobody'), 'No entry matches')
  t.match(
    await ops.read('/operator/log?q=production'),
    /<h2>All accounts<.*Created a key<(?:(?!<tr).)*>ada@(?:(?!<tr).)*>“production”/s,
  )
  const ofKey = await ops.read(`/operator/log?q=${key}`)
  t.match(
    ofKey,
    RegExp(`Created a key<(?:(?!<tr).)*<a href="${page}/keys/${key}">“production”.*1 entry<`, 's'),
    'of a key',
  )
  await ada.submit('/limits', '/limits', { perMinute: '600' })
  await ada.submit('/limits', '/limits', { perMinute: '60' })
  t.match(
    await ada.read('/account/log'),
    /Set the rate limits to 60 a minute<span class="under">before: 600 a minute</,
  )
  for (const endpoints of ['', 'lookup'])
    await ada.submit(`/keys/${key}`, `/keys/${key}/rules`, { perMinute: '60', endpoints })
  t.match(
    await ada.read('/account/log'),
    /60 a minute; only lookup<span class="under"><a [^>]*>“production”<\/a> · before: 60 a minute</,
    'the value before, also if only something was added',
  )
  await ada.submit('/account/members', '/account/members/invite', {
    email: 'bob@example.org',
    role: 'billing',
  })
  const [link = ''] = /\/invitation\/[\w-]+/.exec(await ada.read('/account/members')) ?? []
  await (await signInAs(dashboard, 'bob@example.org')).submit('/account', link)
  t.match(await ada.read('/account/log'), /Accepted the invitation as billing<.*?bob@example\.org/s)
  t.match(await ops.read('/operator/accounts?q=pi_17'), 'href="/operator/log?what=all&amp;q=pi_17"')
  const payment = {
    account: dashboard.accounts.account('ada@example.org')?.id ?? '',
    micros: 5e6,
    kind: 'payment',
  } as const
  await dashboard.accounts.credit({ ...payment, reference: 'stripe:pi_17' })
  for (const q of ['pi_17', 'stripe:pi_17'])
    t.match(
      await ops.read(`/operator/accounts?q=${q}`),
      /ada@.*class="under small">stripe:pi_17: \$5\.00 at 20/s,
      q,
    )
  for (const path of ['/operator/log', '/operator/log.csv', '/account/log']) {
    const changes = (await (path === '/account/log' ? ada : ops).visit(path)).text
    t.match(changes, 'mine', `${path} begins with the changes`)
    t.notMatch(changes, /Signed in (to|with)|sign-in,acct_/, `${path} leaves out the sign-ins`)
  }
  t.match(await ops.read('/operator/log?what=all'), /Signed in .*ada@example\.org.* with a token/)
  const found = async (query: string) => rowsOf(await ops.read(`/operator/log?${query}`), 'Log')
  const [credited, ...others] = await found(`what=credit&who=operator ${OPERATOR}`)
  t.same(others, [], 'action and person together')
  const [time, what, who] = credited.split(' | ')
  t.match(time, /^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/)
  t.equal(what, 'Credited $5.00 (invoice-1) of ada@example.org')
  t.match(who, /^ops@/)
  t.same(await found('what=credit&who=nobody'), [])
  t.same((await found('who=operator')).length, 1, 'changes by operators')
  t.same(await found('to=2001-01-01'), [])
  t.ok((await found('from=2001-01-01')).length > 5)
  const file = await ops.read(`/operator/log.csv?what=credit&who=operator ${OPERATOR}`)
  t.equal(file.split('\r\n').length, 3, 'the file has the head and what the page shows')
  await ada.submit('/alerts', '/alerts', { url: 'https://example.org/secret', webhook: 'key.created' })
  const mine = await ada.read('/account/log')
  for (const sentence of [
    'Opened the account',
    'Set the alerts, by email: none; by webhook at example.org: a key was created or rolled',
  ])
    t.match(mine, sentence)
  t.notMatch(mine, 'example.org/secret')
  const asked = await ada.read(`/account/log?who=${OPERATOR}`)
  t.match(asked, 'No entry matches', 'nobody learns who the operator is by asking')
  t.match(await ada.read('/account/log?who=operator'), 'Credited $5.00 (invoice-1)')
  const own = await ada.read('/account/log.csv')
  t.match(own, 'the operator')
  t.notMatch(own, OPERATOR)
  t.notMatch(await ada.read('/account/log'), OPERATOR)
  t.match(await ada.read('/account/log'), /Created a key<(?:(?!<tr).)*>“mine”<.*title="you"/s)
  await dashboard.restart()
  const again = await signInAs(dashboard, OPERATOR)
  t.match(await again.read('/operator/log.csv'), 'invoice-1', 'it is there after a restart')
})

t.test('settings are shown without secrets', async t => {
  const secrets = ['sk_test_secret', 'whsec_secret', 'hook_secret', 'path_secret']
  const dashboard = await startDashboard(t, {
    ...ENV,
    STRIPE_SECRET_KEY: secrets[0],
    STRIPE_WEBHOOK_SECRET: secrets[1],
    LOW_BALANCE_WEBHOOK_URL: `http://127.0.0.1:1/${secrets[3]}?token=${secrets[3]}`,
    LOW_BALANCE_WEBHOOK_SECRET: secrets[2],
  })
  const ops = await signInAs(dashboard, OPERATOR)
  const shown = async (path: string) => (await ops.read(path)).replaceAll('<wbr/>', '')
  for (const path of ['/operator/settings', '/operator/log', '/operator/log.csv']) {
    const text = await shown(path)
    for (const secret of secrets) t.notMatch(text, secret, `${path} hides ${secret}`)
  }
  const text = await shown('/operator/settings')
  t.match(text, /STRIPE_SECRET_KEY[\s\S]*set, hidden/)
  t.match(text, /<h2>Payments<\/h2>.*STRIPE_API_URL<\/code>/s)
  t.match(text, /OPERATORS[\s\S]*Risk: They can credit/, 'the risk of a set value')
  t.notMatch(text, 'cross the network in the clear', 'no risk of a HOST that is not set')
  const names = Array.from(text.matchAll(/<th scope="row"><code>(\w+)/g), ([, name]) => name)
  t.ok(names.indexOf('STRIPE_SECRET_KEY') < names.indexOf('STRIPE_TAX'), 'changed ones are first')
})

t.test('the service page begins with problems and their remedies', async t => {
  const { dashboard, id, key, secret } = await start(t)
  const { accounts } = dashboard
  await accounts.credit({ account: id, micros: 20_000_000, reference: 'stripe:p', kind: 'payment' })
  const refund = { micros: 5_000_000, reference: 'stripe:r', payment: 'stripe:p', kind: 'refund' } as const
  await accounts.adjust({ account: id, ...refund })
  charge(accounts, secret, 0, 100_000)
  const bob = (await accounts.createAccount({ email: 'bob@example.org' })).id
  await accounts.adjust({ account: bob, micros: 3_028_000, reference: 'd', kind: 'dispute' })
  await accounts.credit({ account: bob, micros: 4_000_000, reference: 'q', kind: 'payment' })
  await accounts.closeAccount(bob, 'left')
  const samples = [{ labels: { endpoint: 'lookup', status: '500' }, value: 2 }]
  dashboard.dataPlane.metrics = () => [{ name: 'postrie_answers_total', help: '', type: 'counter', samples }]
  const ops = await signInAs(dashboard, OPERATOR)
  const { text } = await ops.visit('/operator/service')
  const [lead] = text.split('<dl class="facts">')
  t.match(
    lead,
    /<h1>Service<\/h1>.*2 requests failed with 500\. Look for &quot;request failed&quot; in the log\./,
  )
  const revenue = await ops.read('/operator/revenue')
  t.match(revenue, '<a href="/operator/revenue" aria-current="page">', 'it is highlighted')
  // The disputed $3.028 is paid, $1 is forfeited, and the first 1,000 queries are free.
  const cells = ['15.97', '2.77', '0.00', '0.084', '8.03', '1.00']
    .map(cell => `[^>]*><span [^>]*>\\$${cell}</span></td>`)
    .join('<td')
  for (const time of ['Today', 'This month so far', '90 days'])
    t.match(revenue, new RegExp(`>${time}</th><td${cells}`))
  t.notMatch(revenue, />20\d\d-\d\d<\/th>/, 'months before the first money are left out')
  t.match(revenue, 'Balances now</dt><dd>$12.26<')
  const sums =
    /Since the start<.*Received<\/dt><dd>([^<]*)<.*Credited<\/dt><dd>([^<]*)<.*Free credit<\/dt><dd>([^<]*)<.*Used, with free queries<\/dt><dd>([^<]*)<.*Forfeited<\/dt><dd>([^<]*)<.*less debts<\/dt><dd><strong>([^<]*)</s
  const amounts = sums.exec(revenue)?.slice(1) ?? []
  t.same(
    amounts,
    ['$15.972', '$0.00', '$0.084', '−$2.80', '−$1.00', '$12.256'],
    'the last is the sum of the others',
  )
  const file = await ops.read('/operator/revenue.csv')
  t.match(
    file,
    /^month,new_accounts,paid_usd,.*\r\n20\d\d-\d\d,\d+,24\.000000,0\.000000,8\.028000,0\.000000,0\.000000,0\.084000,2\.772000,2\.800000,1\.000000\r\n$/s,
  )
  t.match(text, /Index written<\/dt><dd><time datetime="2001-09-09T/, 'the time of the served file')
  for (const _ of ['lost the copy', 'rolled again', 'and again']) await accounts.rollKey(key, 0)
  await dashboard.restart()
  const restarted = await signInAs(dashboard, OPERATOR)
  dashboard.dataPlane.activity.refusedCounts = () => new Map([[secret.slice(0, 12), 1]])
  dashboard.dataPlane.activity.refusals = (_, secrets) =>
    secrets
      .filter(start => secret.startsWith(start))
      .map(sender => refusalCount({ status: 401, error: 'Invalid API key', sender, keyRefusal: 'unknown' }))
  t.match(
    await restarted.read('/operator/accounts?state=errors'),
    'ada@example.org',
    'its account has errors',
  )
  t.match(await restarted.read(`/operator/accounts/${id}`), `${secret.slice(0, 12)}…`, 'and shows them')
  for (const part of [/Running since<\/dt><dd><time/, /Memory.*\d MB/s]) t.match(text, part)
})

t.test('the service page tells a damaged index from a new file that is refused', async t => {
  const { dashboard } = await start(t)
  const ops = await signInAs(dashboard, OPERATOR)
  const path = namedIndex(t.testdir(), 'Name')
  const sound = readFileSync(path)
  const problemOf = async () => {
    const text = await ops.read('/operator/service')
    return /The (?:served index|file at INDEX_FILE).*?Put a sound index/s.exec(text)?.[0]
  }
  const open = async () => {
    const served = await ServedIndex.open(path, createMemoryLog().log)
    t.teardown(() => served.close())
    dashboard.dataPlane.servedFile = () => served
    await served.verify()
    return served
  }
  const served = await open()
  t.equal(await problemOf(), undefined)
  writeFileSync(path, damaged(sound, 'CODE'))
  await served.reload()
  t.match(await problemOf(), /cannot be used: .*section CODE.* The index of .* UTC is still served/)
  // A start does not compute checksums before it serves.
  await open()
  t.match(await problemOf(), /is damaged: some answers may be wrong\. .*section CODE/)
})

t.test('a search for keys does not empty the other lists of its page', async t => {
  const { dashboard, page } = await start(t)
  const ops = await signInAs(dashboard, OPERATOR)
  const text = await ops.read(`${page}?q=nothing&state=all`)
  t.match(text, 'No key matches')
  t.match(text, 'No request was refused')
  t.notMatch(text, 'undefined')
})

t.test('an account that owes is not shown as working, and is closed only with --confirm', async t => {
  const { dashboard, id, key, page } = await start(t)
  const { accounts } = dashboard
  await accounts.adjust({ account: id, micros: 50_000_000, reference: 'd', kind: 'dispute' })
  const ops = await signInAs(dashboard, OPERATOR)
  const text = await ops.read(page)
  t.match(text, 'refused: no balance')
  t.notMatch(text, 'tag good">active')
  await accounts.credit({ account: id, micros: 1_000_000, reference: 'p', kind: 'payment' })
  const { activity } = dashboard.dataPlane
  activity.refusedCounts = () => new Map([[accounts.slotOf(id), 1]])
  activity.refusals = slot =>
    slot === null ? [] : [refusalCount({ sender: accounts.keySlotOf(key), status: 402 })]
  const service = await ops.read('/operator/service')
  t.match(
    rowsOf(service, 'Who needs you'),
    [
      /^ada@example\.org \| 1 refused just now: Insufficient balance ?\$50\.00 disputed, so it owes \$48\.97 · See its statement$/,
    ],
    'one row has all reasons',
  )
  t.match(service, RegExp(`${page}/money">See its`), 'and leads to what helps')
  t.match(service, 'Accounts that never paid are left out unless they owe money.')
  t.notMatch(service, `${page}/credit`, 'a credit would pay the debt')
  const show = await executeOn(accounts, COMMAND_LINE)('account.show', { account: id })
  t.match(show, { debt: 48.972, disputed: 50, paid: 1, keys: 1, keyStates: { 'refused: no balance': 1 } })
  const close = executeOn(accounts, COMMAND_LINE)('account.close', { account: id, reason: 'left' })
  await t.rejects(close, { message: /is owed, .* add --confirm/ })
})
