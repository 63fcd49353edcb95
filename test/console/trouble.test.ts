import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { COMMAND_LINE, executeOn } from '../../src/console/operator/commands.ts'
import { keepUnlessSent } from '../../src/console/session/fresh-key.ts'
import { typedDollars } from '../../src/console/words.ts'
import { refusalCount } from '../support/activity.ts'
import { Browser, charge, movableClock, startDashboard, startWithCustomer } from '../support/dashboard.ts'
import { startIdentityProvider } from '../support/identity-provider.ts'
import { listenUntilEnd } from '../support/listening.ts'
import { rowsOf, tileOf, warningsOf } from './page-reader.ts'

const ADA = 'ada@example.com'
const SECRET = /pk_live_[0-9A-Za-z]{36}/

t.test('three clicks on a slow server make one key and show its secret', async t => {
  const { accounts, ada } = await startWithCustomer(t)
  const csrf = await ada.token('/keys')
  const form = { label: 'clicked', csrf }
  const answers = await Promise.all([1, 2, 3].map(() => ada.post('/keys', form)))
  const [shown = ''] = answers.map(({ headers }) => headers.get('Location') ?? '')
  t.match(shown, /^\/keys\?new=/)
  t.same(
    answers.map(({ status, headers }) => [status, headers.get('Location')]),
    Array.from({ length: 3 }, () => [303, shown]),
  )
  t.equal(accounts.listKeys(ADA).length, 1)
  t.match(await ada.read('/keys'), shown, 'a page of another tab has a link')
  const secret = SECRET.exec(await ada.read(shown))?.[0]
  t.ok(secret)
  t.notMatch(await ada.read(shown), secret ?? '-', 'once')
  t.equal((await ada.post('/keys', form)).status, 303)
  const { text } = await ada.visit('/keys')
  t.notMatch(text, secret ?? '-', 'the repeated form does not show the secret again')
  t.match(text, /“clicked” exists and was shown/)
  t.equal(accounts.listKeys(ADA).length, 1)
  await ada.submit('/keys', '/keys', { label: '' })
  const labels = accounts.listKeys(ADA).map(({ label }) => label)
  t.same(labels, ['clicked', 'key 2'], 'the form of another page is another form, and no key is unnamed')
})

t.test('a refused form of another tab makes no form take effect twice', async t => {
  const { accounts, ada, dashboard } = await startWithCustomer(t)
  const refuse = async () => ada.post('/balance/threshold', { csrf: await ada.token('/balance'), usd: 'ten' })
  const created = { label: 'once', csrf: await ada.token('/keys') }
  await refuse()
  for (let click = 0; click < 3; click++) await ada.post('/keys', created)
  t.equal(accounts.listKeys(ADA).length, 1)
  const [key] = accounts.listKeys(ADA)
  const again = await ada.post('/keys', created)
  const secret = SECRET.exec(await ada.read(again.headers.get('Location') ?? ''))?.[0] ?? ''
  const path = `/keys/${key?.id}/roll`
  const { text } = await ada.visit(path)
  const fields = [...text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)]
  const rolled = { ...Object.fromEntries(fields.map(([, name, value]) => [name, value])), overlap: '30d' }
  await refuse()
  t.match((await ada.post(path, rolled)).headers.get('Location'), RegExp(`^/keys/${key?.id}\\?new=`))
  await refuse()
  const second = await ada.post(path, rolled)
  charge(accounts, secret)
  t.match(accounts.key(key?.id ?? '')?.previous, { start: secret.slice(0, 12) }, 'still works')
  t.match(await ada.read(second.headers.get('Location') ?? ''), SECRET, 'the second click shows the secret')
  await ada.post(path, rolled)
  t.match(await ada.read(path), 'Nothing was changed: the key has been rolled')
  await dashboard.restart()
  const later = new Browser(dashboard.origin, ada.cookies)
  await later.post('/keys', created)
  await later.post(path, rolled)
  t.equal(dashboard.accounts.listKeys(ADA).length, 1, 'after a restart')
  charge(dashboard.accounts, secret)
})

t.test('a secret is kept if its page was not sent', async t => {
  let kept = 0
  let closed: () => void = () => {}
  const server = createServer((request, response) => {
    keepUnlessSent(response, () => kept++)
    response.once('close', () => closed())
    if (request.url === '/whole') response.end('page')
  })
  const port = await listenUntilEnd(t, server)
  const ask = async (path: string, leaves: boolean) => {
    const isClosed = new Promise<void>(resolve => {
      closed = resolve
    })
    const socket = connect(port, '127.0.0.1')
    const arrived = once(server, 'request')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await arrived
    if (leaves) socket.destroy()
    await isClosed
    socket.destroy()
  }
  await ask('/whole', false)
  t.equal(kept, 0, 'a page that was sent')
  await ask('/slow', true)
  t.equal(kept, 1, 'a click on another form while the page was being made')
})

t.test('a HEAD request does not use up the secret', async t => {
  const { ada } = await startWithCustomer(t)
  const csrf = await ada.token('/keys')
  const answer = await ada.post('/keys', { label: 'headed', csrf })
  const shown = answer.headers.get('Location') ?? ''
  await ada.fetch(shown, { method: 'HEAD' })
  t.match(await ada.read(shown), SECRET)
})

t.test('two tabs that create a key at the same time show each its own secret, once', async t => {
  const { accounts, ada } = await startWithCustomer(t)
  const forms = [
    { label: 'first', csrf: await ada.token('/keys') },
    { label: 'second', csrf: await ada.token('/keys') },
  ]
  const answers = await Promise.all(forms.map(form => ada.post('/keys', form)))
  const starts = new Map(accounts.listKeys(ADA).map(({ label, start }) => [label, start]))
  for (const [at, { label }] of forms.entries()) {
    const shown = answers[at].headers.get('Location') ?? ''
    const [secret = ''] = SECRET.exec(await ada.read(shown)) ?? []
    t.equal(secret.slice(0, 12), starts.get(label), label)
    t.notMatch(await ada.read(shown), SECRET, 'once')
  }
  t.equal((await ada.visit('/keys?new=constructor')).status, 200)
})

t.test('a page says that the session has ended after a timeout, but not to a stranger', async t => {
  const passTime = movableClock(t)
  const { ada, origin } = await startWithCustomer(t, { SESSION_IDLE_MINUTES: '30' })
  t.notMatch(await new Browser(origin).read('/usage'), 'Your session has ended')
  passTime(31 * 60_000)
  const { url, text } = await ada.visit('/usage')
  t.match(url, '/sign-in?next=%2Fusage')
  t.match(text, 'Your session has ended. Sign in to continue.')
  t.notMatch(text, 'A form that you sent')
  await ada.signIn(ADA)
  const signedOut = (await ada.submit('/', '/sign-out')).headers.get('Location') ?? ''
  t.match(await ada.read(signedOut), 'You are signed out.')
  t.notMatch(await ada.read('/usage'), 'Your session has ended', 'after a sign-out')
})

t.test('a refused form can be sent again', async t => {
  const { ada } = await startWithCustomer(t)
  const csrf = await ada.token('/limits')
  for (let click = 0; click < 2; click++) {
    t.equal((await ada.post('/limits', { perMinute: '0', csrf })).status, 303)
    t.match(await ada.read('/limits'), 'id="problem-perMinute"')
    t.notMatch(await ada.read('/limits'), 'id="problem-', 'once')
  }
})

/** Starts with a key named `tight`. `use` charges some of its 1,000 queries. */
async function startWithKey(t: Test) {
  const started = await startWithCustomer(t)
  const { id: keyId, secret } = await started.accounts.createKey(started.id, { label: 'tight' })
  const use = (queries: number) => charge(started.accounts, secret, 0, queries)
  return { ...started, keyId, page: `/keys/${keyId}`, use }
}

const PAGES_OF_KEYS = ['/', '/keys', '/requests', '/usage']
const OTHER_PAGES = ['/balance', '/docs', '/coverage', '/account']
const RECHARGE = '[Recharge](/balance#recharge-usd)'

async function expectWarnings(t: Test, ada: Browser, pages: readonly string[], warnings: string[]) {
  for (const page of pages) t.same(warningsOf(await ada.read(page)), warnings, page)
}

t.test('every page warns of a balance below the threshold', async t => {
  const { accounts, ada, id } = await startWithCustomer(t)
  await accounts.setLowBalance(id, 1_000_000)
  const low = `caution: Your balance is below $1.00. ${RECHARGE}`
  await expectWarnings(t, ada, [...PAGES_OF_KEYS, ...OTHER_PAGES], [low])
})

t.test('every page warns of a balance that is used up', async t => {
  const { ada, use } = await startWithKey(t)
  use(940)
  await expectWarnings(
    t,
    ada,
    ['/'],
    ['caution: Your balance pays for 60 queries. [Recharge or set a warning](/balance)'],
  )
  use(60)
  const text = 'Your balance is used up. Requests are refused with 402 until money is added.'
  await expectWarnings(t, ada, [...PAGES_OF_KEYS, ...OTHER_PAGES], [`problem: ${text} ${RECHARGE}`])
  t.equal(JSON.parse(await ada.read('/live.json')).forecast, '', 'nothing more can be spent')
})

t.test('pages of keys and usage warn of a cap that is used up', async t => {
  const { accounts, ada, keyId, page, use } = await startWithKey(t)
  await accounts.setKeyCap(keyId, 28)
  use(1)
  const text = 'The key “tight” has used up its monthly cap. Requests with it are refused with 402.'
  const remedy = `[See who uses it, or raise the cap](${page}#uses)`
  await expectWarnings(t, ada, PAGES_OF_KEYS, [`problem: ${text} ${remedy}`])
  await expectWarnings(t, ada, [page], [`problem: ${text} [Raise the cap](${page}#cap-usd)`])
  await expectWarnings(t, ada, OTHER_PAGES, [])
  t.equal((await ada.read('/')).match(/has used up its monthly cap/g)?.length, 1, 'the banner says so, once')
})

t.test('a used up cap is a state of the key, in lists and in commands', async t => {
  const { accounts, ada, id, keyId, use } = await startWithKey(t)
  await accounts.setKeyCap(keyId, 28)
  use(1)
  t.match(rowsOf(await ada.read('/keys?state=capped'), 'Keys'), [/tight.*\| cap used up/])
  const run = executeOn(accounts, COMMAND_LINE)
  t.match(await run('key.list', { account: id }), [{ state: 'cap used up' }])
  t.match(await run('account.list', {}), [{ id, activeKeys: 0 }])
})

t.test('the form of a cap says when the cap stops the key', async t => {
  const { ada, page, use } = await startWithKey(t)
  use(1)
  t.match(await ada.read(page), 'a cap of that or less stops the key at once')
  await ada.submit(page, `${page}/cap`, { usd: '0' })
  const set = await ada.read(page)
  t.match(set, /class="notice banner" role="status"><span>The cap is set\.</)
  t.match(warningsOf(set), [/has used up its monthly cap/], 'one sentence says that the key is stopped')
  t.equal(warningsOf(set).length, 1)
})

const WHY = 'Errors by reason'

/** Starts with refused requests for four reasons. `limit` sets the limit of the account. */
async function startWithRefusals(t: Test, more: { status: number; minutes: number }[] = []) {
  const started = await startWithKey(t)
  const { dashboard, accounts, id, keyId } = started
  started.use(1)
  const sender = accounts.keySlotOf(keyId)
  const bound = { of: 'account', window: 'minute', most: 50, wait: 1 } as const
  const cases = [
    { status: 402, endpoint: 'validate-bulk', error: 'Insufficient balance for bulk request', minutes: 18 },
    { status: 404, endpoint: 'lookup', error: 'ZIP code not found', minutes: 125, requests: 9 },
    { status: 400, endpoint: 'city', error: 'Missing required field: city', minutes: 0, requests: 2 },
    { status: 429, endpoint: 'lookup', error: 'Rate limit exceeded', minutes: 4, requests: 3, bound },
  ]
  dashboard.dataPlane.activity.refusals = () =>
    [...cases, ...more].map(({ minutes, ...of }) =>
      refusalCount({ ...of, sender, lastMs: Date.now() - minutes * 60_000 }),
    )
  const limit = (perMinute: number) => accounts.setLimits(id, { perMinute, perHour: null, perDay: null })
  await limit(50)
  return { ...started, limit }
}

t.test(
  'reasons that stop the account come first, then those repaired here; those that are over come last',
  async t => {
    const keyRefusal = 'replaced'
    const replaced = {
      status: 401,
      endpoint: 'list',
      error: 'Invalid API key',
      minutes: 1,
      requests: 70,
      keyRefusal,
    }
    const { accounts, ada, id, limit } = await startWithRefusals(t, [replaced])
    const rate = 'Rate limit exceeded: the limit of the account, 50 a minute'
    const city = 'Missing required field: city · See the fields of city | 400 | tight | 2 | just now'
    const ofKey =
      /^Invalid API key.* · Send the secret that .* old one: see from where \| 401 \| tight \| 70 /
    const late = 'past: ZIP code not found · None in the last hour. | 404 | tight | 9 | 2 hours ago'
    const larger = 'pays for 999 queries. Larger requests are refused with 402.'
    t.match(await ada.read('/'), /<h2>Errors by reason since 20\d\d-/, 'with their time')
    t.match(rowsOf(await ada.read('/'), WHY), [
      `${rate} · Change the limits | 429 | tight | 3 | 4 minutes ago`,
      'Insufficient balance · Recharge | 402 | tight | 1 | 18 minutes ago',
      ofKey,
      city,
      late,
    ])
    await accounts.setLowBalance(id, 1_000_000)
    const banner = `problem: Your balance of $0.027972 ${larger} ${RECHARGE}`
    await expectWarnings(t, ada, ['/', '/balance'], [banner])
    const live = JSON.parse(await ada.read('/live.json'))
    t.match([live.emptyConcern, live.lowConcern], [larger, /^$/], 'nor does a refresh bring a second one')
    await limit(600)
    await accounts.credit({ account: id, micros: 5_000_000, reference: 'paid', kind: 'payment' })
    t.notMatch(await ada.read('/'), larger)
    t.match(rowsOf(await ada.read('/'), WHY), [
      ofKey,
      city,
      `past: ${rate} · This limit no longer applies. | 429 | tight | 3 | 4 minutes ago`,
      'past: Insufficient balance · The balance covers it now. | 402 | tight | 1 | 18 minutes ago',
      late,
    ])
  },
)

t.test('the page of a key has its refused requests, with their reasons', async t => {
  const { ada, page } = await startWithRefusals(t)
  const text = await ada.read(page)
  t.match(tileOf(text, 'Errors'), /^15 (since|in the last)/)
  t.match(rowsOf(text, WHY), [/^Rate limit .* \| 429 \| 3 \| 4 minutes ago/, /^Insuff.*Recharge/, /^Missing/])
  t.match(text, /Monthly cap.*Errors by reason since 20\d\d-/s)
  t.notMatch(text, 'reasons</summary>', 'few reasons are not folded')
})

t.test('the page of the usage links to the errors', async t => {
  const { ada } = await startWithRefusals(t)
  t.match(await ada.read('/usage?range=24h'), /Errors are free: <a href="\/requests\?only=errors">see them</)
})

t.test('a refresh updates all figures of a page', async t => {
  const { accounts, ada } = await startWithCustomer(t)
  const { secret: key } = await accounts.createKey(ADA)
  charge(accounts, key, 0, 300)
  await accounts.setLimits(accounts.account(ADA)?.id ?? '', { perMinute: 5, perHour: null, perDay: null })
  const live = JSON.parse(await ada.read('/live.json')) as Record<string, string>
  for (const page of ['/', '/balance', '/limits']) {
    const { text } = await ada.visit(page)
    const shown = [...text.matchAll(/data-live="(\w+)">([^<]*)</g)].map(([, name, value]) => [name, value])
    t.ok(shown.length > 3, page)
    for (const [name = '', value] of shown) t.equal(live[name], value, `${page} ${name}`)
  }
  const figures = /<dl class="facts">.*?<\/dl>/.exec(await ada.read('/'))?.[0] ?? ''
  const fixed = figures.replaceAll(/<(\w+)[^>]*data-live="\w+"[^>]*>[^<]*<\/\1>|<time.*?<\/time>/g, '')
  t.notMatch(fixed, /\d/, 'every figure of the overview is refreshed')
})

t.test('a refreshing page does not extend the session and notices its end', async t => {
  const advance = movableClock(t)
  const { ada } = await startWithCustomer(t, { SESSION_IDLE_MINUTES: '1' })
  const before = ada.cookies.get('postrie-session')
  advance(30_000)
  for (const poll of ['/live.json', '/requests.json']) {
    t.equal((await ada.fetch(poll)).status, 200)
    t.equal(ada.cookies.get('postrie-session'), before, poll)
  }
  advance(31_000)
  const late = await ada.fetch('/live.json')
  t.equal(late.status, 401)
  t.match(await late.json(), { error: /sign in again/ })
  t.equal((await ada.fetch('/requests.json')).status, 401)
  t.equal((await ada.fetch('/keys')).status, 303, 'a page leads to the sign-in')
})

t.test('after a sign-out, the provider asks for an account', async t => {
  const provider = await startIdentityProvider(t)
  const ada = new Browser((await startDashboard(t, provider.env)).origin)
  await provider.signIn(ada)
  const name = (provider.env as Record<string, string>).OIDC_PROVIDERS ?? ''
  const promptOf = async () =>
    new URL((await ada.fetch(`/sign-in/${name}`)).headers.get('Location') ?? '').searchParams.get('prompt')
  await ada.submit('/', '/sign-out')
  t.equal(await promptOf(), 'select_account')
  await ada.fetch(`/sign-in/${name}/callback?error=invalid_request`)
  t.equal(await promptOf(), null, 'a provider that refuses to ask is not asked again')
})

t.test('a refused form shows the typed text and the reason', async t => {
  const { accounts, ada } = await startWithCustomer(t)
  const { id } = await accounts.createKey(ADA, { label: 'billing' })
  const cases: [page: string, action: string, fields: Record<string, string>, wrong: string][] = [
    ['/limits', '/limits', { perMinute: '600', perHour: 'many', perDay: '9000' }, 'perHour'],
    ['/balance', '/balance/threshold', { usd: 'ten' }, 'usd'],
    ['/balance', '/balance/recharge', { usd: '4.99' }, 'usd'],
    [`/keys/${id}`, `/keys/${id}/cap`, { usd: '1.2.3' }, 'usd'],
    [`/keys/${id}`, `/keys/${id}/rename`, { label: 'x'.repeat(65) }, 'label'],
    ['/keys', '/keys', { label: 'y'.repeat(65) }, 'label'],
  ]
  for (const [page, action, fields, wrong] of cases) {
    const text = await ada.expectRefused(page, action, fields)
    for (const [name, value] of Object.entries(fields))
      t.match(text, new RegExp(`name="${name}" value="${value.replaceAll('.', '\\.')}"`), `${action} ${name}`)
    t.match(text, new RegExp(`name="${wrong}"[^>]*aria-describedby="problem-${wrong}"`), `field of ${action}`)
    t.match(text, new RegExp(`role="alert" id="problem-${wrong}"`), `${action}: the reason`)
  }
})

t.test('reloading the address of any form leads to a page', async t => {
  const { accounts, ada } = await startWithCustomer(t)
  const { id } = await accounts.createKey(ADA)
  await accounts.setLimits(ADA, { perMinute: 5, perHour: null, perDay: null })
  const pages = `/ /keys /keys/${id} /keys/${id}/revoke /balance /limits /docs /account`.split(' ')
  const texts = await Promise.all(pages.map(page => ada.visit(page)))
  const actions = new Set(
    texts.flatMap(({ text }) => [...text.matchAll(/action="([^"]+)"/g)].map(([, path]) => path)),
  )
  t.ok(actions.size >= 9, [...actions].join(' '))
  for (const action of actions) t.equal((await ada.visit(action ?? '')).status, 200, action)
})

t.test('amounts are accepted in common spellings', async t => {
  const amounts = { 5: 5e6, $5: 5e6, '$ 5.00': 5e6, '5,000': 5e9, '$1,234.50': 1234.5e6, '2.50 USD': 2.5e6 }
  for (const [text, micros] of Object.entries(amounts)) t.equal(typedDollars(text), micros, text)
  for (const text of '5,00|5,0000|,500|1.000,50|5 EUR|$|USD|5,000,|1e3|-5|$-5'.split('|'))
    t.equal(typedDollars(text), null, text)
})

t.test('revoking a key twice says when it was revoked', async t => {
  const { accounts, ada } = await startWithCustomer(t)
  const { id } = await accounts.createKey(ADA, { label: 'old' })
  const other = new Browser(ada.origin, ada.cookies)
  const csrf = await other.token(`/keys/${id}/revoke`)
  await ada.submit(`/keys/${id}/revoke`, `/keys/${id}/revoke`)
  t.match(
    await ada.read(`/keys/${id}`),
    'The key “old” is revoked. Requests with it are refused from now on.',
  )
  await other.post(`/keys/${id}/revoke`, { csrf })
  const day = new Date(accounts.key(id)?.revokedMs ?? 0).toISOString().slice(0, 10)
  const { text } = await other.visit('/keys')
  t.match(text, `Nothing was changed: this key has been revoked since ${day}`)
  t.match(text, new RegExp(`revoked</span><span class="under">since <time datetime="${day}`), 'in the list')
  t.match(
    await ada.read(`/keys/${id}`),
    new RegExp(`revoked</span> since <time datetime="${day}`),
    'on its page',
  )
  t.equal((await ada.fetch(`/keys/${id}/revoke`)).headers.get('Location'), `/keys/${id}`)
})

t.test('a stranger gets robots.txt, an icon and 404 without a sign-in', async t => {
  const { origin } = await startDashboard(t)
  const stranger = new Browser(origin)
  t.match(await stranger.read('/robots.txt'), 'Disallow: /')
  const icon = await stranger.visit('/favicon.ico')
  t.equal(icon.status, 200)
  t.match(icon.text, '<svg')
  for (const path of ['/wp-login.php', '/nowhere', '/keys/a/b/c', '/balance/x', '/x.json'])
    t.equal((await stranger.fetch(path)).status, 404, path)
  for (const path of ['/keys', '/', '/balance', '/keys/key_x'])
    t.equal((await stranger.fetch(path)).status, 303, path)
  t.equal((await stranger.fetch('/docs/?a=1')).headers.get('Location'), `${origin}/docs?a=1`)
})

t.test('a hundred and twenty keys have pages, search, states and orders', async t => {
  const { accounts, ada } = await startWithCustomer(t)
  for (let n = 1; n <= 120; n++) {
    const { id, secret } = await accounts.createKey(ADA, { label: `key ${String(n).padStart(3, '0')}` })
    if (n === 7 || n === 70) charge(accounts, secret, 0, 1)
    if (n <= 60) await accounts.revokeKey(id)
  }
  const labels = async (path: string) =>
    [...(await ada.read(path)).matchAll(/class="label" title="([^"]*)"/g)].map(([, label]) => label)
  t.equal((await labels('/keys')).length, 50)
  t.same((await labels('/keys')).slice(0, 2), ['key 070', 'key 120'], 'the last charged, then the newest')
  t.equal((await labels('/keys?page=2'))[10], 'key 060', 'revoked ones after those that were never charged')
  t.match(
    await ada.read('/keys'),
    /key 070.*today">1<.*key 120.*today"><\/td>/s,
    'no zeros if it was never used',
  )
  t.equal((await labels('/keys?page=3')).length, 20)
  t.same(await labels('/keys?q=KEY+007'), ['key 007'])
  t.equal((await labels('/keys?state=revoked&page=2')).length, 10)
  t.equal((await labels('/keys?order=label&state=active'))[0], 'key 061')
  t.match(await ada.read('/keys?q=nothing'), 'No key matches.')
  t.equal((await labels('/keys?page=99&order=__proto__&state=x')).length, 20, 'nonsense is left out')
})
