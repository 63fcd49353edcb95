import t from 'tap'
import { NO_RULES } from '../../src/billing/accounts/views.ts'
import { Book } from '../../src/billing/ledger/book/book.ts'
import { ENDPOINT_LIST } from '../../src/service/endpoints/table.ts'
import { authenticate } from '../support/accounts.ts'
import { charge, signInAs, startDashboard } from '../support/dashboard.ts'
import { until } from '../support/until.ts'
import { warningsOf } from './page-reader.ts'

const ADA = 'ada@example.com'
const HOUR_MS = 3_600_000
const RULES = { expiresMs: '', perMinute: '', perHour: '', perDay: '', addresses: '' }

async function start(...args: Parameters<typeof startDashboard>) {
  const dashboard = await startDashboard(...args)
  const ada = await signInAs(dashboard, ADA)
  const { id, secret: key } = await dashboard.accounts.createKey(ADA, { label: 'production' })
  const page = `/keys/${id}`
  const save = (rules: Partial<typeof RULES> & { endpoints?: string }) =>
    ada.submit(page, `${page}/rules`, { ...RULES, ...rules })
  return { dashboard, ada, id, key, page, save, rules: () => dashboard.accounts.key(id)?.rules }
}

t.test('all rules are saved together and shown as saved', async t => {
  const { ada, page, save, rules } = await start(t)
  const typed = {
    expiresMs: '2099-12-31T23:59',
    perMinute: '1,000',
    perDay: '50000',
    addresses: '203.0.113.77/24, ::1\n10.0.0.1',
    endpoints: 'lookup',
  }
  t.equal((await save(typed)).status, 303)
  t.same(rules(), {
    expiresMs: Date.UTC(2099, 11, 31, 23, 59),
    limits: { perMinute: 1000, perHour: null, perDay: 50_000 },
    endpoints: ['lookup'],
    addresses: ['203.0.113.0/24', '::1', '10.0.0.1'],
  })
  const { text } = await ada.visit(page)
  t.match(text, 'value="2099-12-31T23:59"')
  t.match(text, /<textarea name="addresses"[^>]*>203\.0\.113\.0\/24\n::1\n10\.0\.0\.1<\/textarea>/)
  t.match(text, /value="lookup" checked=""/)
  t.notMatch(text, /value="city" checked/)
  const shown = Array.from(text.matchAll(/name="endpoints" value="([^"]+)"/g), ([, name]) => name)
  const reference = ENDPOINT_LIST.map(({ name }) => name)
  t.same(
    shown,
    reference.filter(name => shown.includes(name)),
    'in the order of the reference',
  )
  t.match(text, '<button type="submit" class="primary">Save the rules')
  t.match(
    await ada.read('/keys'),
    '1,000 a minute, 50,000 a day; only lookup; only from 203.0.113.0/24, ::1, 10.0.0.1</span>',
  )
  t.match(await ada.read('/limits'), 'The rules of a key may have limits of its own.')
  t.equal((await save({ addresses: ' , ' })).status, 303)
  t.same(rules(), NO_RULES, 'an empty form lifts all of them')
})

t.test('one form creates a key with rules, and a wrong rule creates nothing', async t => {
  const { dashboard, ada } = await start(t)
  const { accounts } = dashboard
  const create = (fields: Record<string, string>) => ada.submit('/keys', '/keys', { ...RULES, ...fields })
  const count = () => accounts.listKeys(ADA).length
  const page = await ada.read('/keys')
  t.match(page, /<details><summary>Rules: /, 'folded away')
  const wrong = { label: 'sneaky', perDay: '77', endpoints: 'constructor' }
  const text = await ada.expectRefused('/keys', '/keys', wrong)
  t.match(text, /one or more of lookup/)
  t.match(text, '<details open="">', 'open, where the reason is')
  for (const value of ['77', 'sneaky']) t.match(text, `value="${value}"`, 'the typed text is still there')
  t.equal(count(), 1, 'no key was made')
  t.notMatch(
    await ada.expectRefused('/keys', '/keys', { label: 'x'.repeat(65) }),
    /<details open=""><summary>Rules/,
  )
  const fields = { label: 'nightly', perDay: '50', addresses: '10.0.0.0/8', endpoints: 'city' }
  const shown = (await create(fields)).headers.get('Location') ?? ''
  t.match(accounts.listKeys(ADA).at(-1), {
    label: 'nightly',
    rules: { expiresMs: null, limits: { perDay: 50 }, addresses: ['10.0.0.0/8'], endpoints: ['city'] },
  })
  t.match(await ada.read(shown), /pk_live_[0-9A-Za-z]{36}/, 'shown once, as any new key')
  await create({ label: 'plain' })
  t.same(accounts.listKeys(ADA).at(-1)?.rules, NO_RULES)
})

t.test('a key whose rules cannot be stored is not made', async t => {
  const { dashboard } = await start(t)
  const { accounts } = dashboard
  const { transact } = Book.prototype
  t.teardown(() => Object.assign(Book.prototype, { transact }))
  Book.prototype.transact = function (events, timeMs, sequence) {
    if (events.some(({ kind }) => kind === 'rules')) throw new Error('the disk is full')
    return transact.call(this, events, timeMs, sequence)
  }
  const before = accounts.listKeys(ADA).length
  await t.rejects(accounts.createKey(ADA, { rules: { ...NO_RULES, endpoints: ['city'] } }), /disk is full/)
  t.equal(accounts.listKeys(ADA).length, before)
})

t.test('a wrong field is marked, and all typed text stays', async t => {
  const { rules, ada, page } = await start(t)
  const right = { perDay: '77', addresses: '10.0.0.0/8', endpoints: 'city' }
  const wrong: [Partial<typeof RULES> & { endpoints?: string }, RegExp][] = [
    [{ expiresMs: 'tomorrow' }, /Give a time in UTC such as/],
    [{ expiresMs: '2020-01-01T00:00' }, /A key expires at a time in the future/],
    [{ perMinute: '0' }, /A limit must be a whole number from 1 to 10,000,000/],
    [
      { addresses: '10.0.0.0/8\nexample.com' },
      /&quot;example\.com&quot; must be an address or a network such as/,
    ],
    [
      { addresses: '10.0.0.0/8\nnowhere\n300.1.1.1' },
      /&quot;nowhere&quot;, &quot;300\.1\.1\.1&quot; must each be an address/,
    ],
    [
      { addresses: Array.from({ length: 33 }, (_, i) => `10.0.0.${i}`).join('\n') },
      /1 to 32 networks, not 33/,
    ],
    [{ endpoints: 'constructor' }, /one or more of lookup/],
  ]
  for (const [fields, problem] of wrong) {
    const text = await ada.expectRefused(page, `${page}/rules`, { ...right, ...fields })
    t.match(text, problem)
    t.match(text, 'role="alert"')
    t.match(text, 'value="77"', 'the typed text is still there')
    if (fields.endpoints === undefined) t.match(text, /value="city" checked=""/)
  }
  t.same(rules(), NO_RULES)
  t.equal((await ada.fetch(`${page}/rules`)).headers.get('Location'), page, 'the form leads back')
})

t.test('saving a form again keeps the seconds of an expiry', async t => {
  const { dashboard, id, save, rules } = await start(t)
  const expiresMs = Date.now() + HOUR_MS + 1234
  await dashboard.accounts.setKeyRules(id, { ...NO_RULES, expiresMs })
  await save({ expiresMs: new Date(expiresMs).toISOString().slice(0, 16), perDay: '5' })
  t.match(rules(), { expiresMs, limits: { perDay: 5 } })
})

t.test('a rolled key shows its new secret once, and the earlier one works until its end', async t => {
  const { dashboard, ada, id, key, page } = await start(t)
  const { accounts } = dashboard
  t.match(await ada.read(`${page}/roll`), /"24h" selected="">1 day/)
  const answer = await ada.submit(`${page}/roll`, `${page}/roll`, { overlap: '24h', from: key.slice(0, 12) })
  const shown = answer.headers.get('Location') ?? ''
  const secret = /pk_live_[0-9A-Za-z]{36}/.exec(await ada.read(shown))?.[0] ?? ''
  t.notMatch(await ada.read('/keys'), secret, 'once')
  t.ok(authenticate(accounts, secret))
  t.ok(authenticate(accounts, key))
  t.match(await ada.read('/keys'), 'earlier secret until')
  for (const wanted of [key, secret, key.slice(0, 12), id])
    t.match(await ada.read(`/keys?q=${wanted}`), 'title="production"', wanted.slice(0, 12))
  const sent = await ada.submit('/keys', '/keys/search', { q: ` ${key}` })
  t.equal(sent.headers.get('Location'), `/keys?q=${key.slice(0, 12)}`, 'no address has a key')
  const { text } = await ada.visit(page)
  t.match(text, `${key.slice(0, 12)}…`)
  t.equal((await ada.submit(page, `${page}/end-overlap`)).status, 303)
  t.notOk(authenticate(accounts, key))
  t.ok(authenticate(accounts, secret))
  t.notMatch(await ada.read(page), 'Refuse it now')
  t.match(
    await ada.expectRefused(`${page}/roll`, `${page}/roll`, { overlap: '5h', from: secret.slice(0, 12) }),
    'Choose an option of the list',
  )
  await ada.submit(`${page}/revoke`, `${page}/revoke`)
  t.equal((await ada.fetch(`${page}/roll`)).headers.get('Location'), page, 'a revoked key is not rolled')
  const words: RegExp[] = [
    /Rolled a key, [^<]*<span class="under"><a [^>]*>“production”</,
    /Ended the earlier secret of a key<span class="under"><a [^>]*>“production”</,
  ]
  let log = ''
  for (let look = 0; look < 500 && !words.every(word => word.test(log)); look++)
    log = await ada.read('/account/log')
  for (const word of words) t.match(log, word)
  t.notMatch(log, secret)
  t.notMatch(log, /hash/)
})

t.test(
  'a new address is marked, named on the overview, and gets no grace when the key is rolled',
  async t => {
    const { dashboard, ada, id, key, page, save } = await start(t)
    const { accounts, dataPlane } = dashboard
    const sender = accounts.keySlotOf(id)
    const HOUR_AGO = Date.now() - HOUR_MS
    const seen = (network: string, firstMs: number, queries: number) => {
      const times = { firstMs, lastMs: Date.now() }
      return { network, start: key.slice(0, 12), requests: queries, refused: 0, queries, ...times }
    }
    const [own, second] = [seen('203.0.113.10', HOUR_AGO - 50 * HOUR_MS, 5), seen('203.0.113.11', 1, 7)]
    const stranger = seen('198.51.100.77', HOUR_AGO, 90)
    let shown = [own]
    dataPlane.activity.sightings = of => (of === sender ? shown : [])
    t.match(await ada.read(`${page}/roll`), /"24h" selected="">1 day/, 'one address')
    shown = [own, second]
    t.notMatch(await ada.read(page), '>new</span>', 'both were there before')
    t.match(
      await ada.read(`${page}/roll`),
      /<select name="overlap"[^>]*><option value="">Choose</,
      'nothing is proposed',
    )
    t.notMatch(await ada.read(`${page}/roll`), ' selected="">')
    const unchosen = { overlap: '', from: key.slice(0, 12) }
    t.match(await ada.expectRefused(`${page}/roll`, `${page}/roll`, unchosen), 'Choose an option of the list')
    shown = [own, stranger]
    const leak = `is used from 198.51.100.77, first seen ${new Date(HOUR_AGO).toISOString().slice(0, 16).replace('T', ' ')} UTC: 90 requests, $0.00252`
    const text = await ada.read(page)
    t.match(text, `This key ${leak}. If that is not your program:`)
    t.match(
      text,
      /198\.51\.100\.77<\/a> <span class="tag caution">new<.*203\.0\.113\.10<\/a><\/th>/s,
      'marked in its row',
    )
    t.match(text, /Requests by address.*Queries in seven days/s, 'the addresses come first')
    t.match(
      text,
      RegExp(`<time [^>]*>${new Date(HOUR_AGO).toISOString().slice(11, 19)}|\\d\\d:\\d\\d:\\d\\d</time>`),
    )
    t.match(await ada.read(`${page}/roll`), '<option value="0" selected="">', 'at once')
    t.match(await ada.read('/keys'), leak)
    charge(accounts, key)
    for (const path of ['/', '/keys', '/usage', '/requests'])
      t.match(warningsOf(await ada.read(path)), [
        `caution: The key “production” ${leak}. [See who uses it, or roll it](${page}#uses)`,
      ])
    const first = HOUR_AGO - 240_000
    shown = [seen('203.0.113.10', first, 5), stranger]
    t.notMatch(await ada.read(page), '>new</span>', 'the owner sets up the key')
    shown = [own, stranger]
    await save({ addresses: '203.0.113.10' })
    t.notMatch(await ada.read(page), 'If that is not your program', 'the rules keep it out')
    shown = [own, { ...stranger, start: 'pk_live_gone' }]
    t.notMatch(await ada.read('/'), 'is used from', 'its secret has ended')
  },
)

t.test('a key that is off is rolled without a question about its present secret', async t => {
  const { dashboard, ada, id, key, page } = await start(t)
  const { secret } = await dashboard.accounts.rollKey(id, HOUR_MS)
  await ada.submit(page, `${page}/switch`, { to: 'off' })
  t.match(await ada.read(page), /earlier secret \S+ works until [^.]* UTC, but not while the key is off\./)
  const step = await ada.read(`${page}/roll`)
  t.match(
    step,
    /The present one, \S+, will be refused for good\..*The key stays off.*name="overlap" value="0"/s,
  )
  t.notMatch(step, 'still works')
  const answer = await ada.submit(`${page}/roll`, `${page}/roll`, { overlap: '0', from: secret.slice(0, 12) })
  const rolled = await ada.read(answer.headers.get('Location') ?? '')
  t.match(rolled, 'The key is off: this request gets 401 until you switch it on.')
  await ada.submit(page, `${page}/switch`, { to: 'on' })
  for (const former of [key, secret]) t.notOk(authenticate(dashboard.accounts, former))
})

t.test('an expired key is shown and found as expired', async t => {
  const { dashboard, ada, id, page } = await start(t)
  await dashboard.accounts.setKeyRules(id, { ...NO_RULES, expiresMs: Date.now() + 2000 })
  await dashboard.accounts.createKey(ADA, { label: 'another' })
  await until(() => dashboard.accounts.key(id)?.isExpired === true)
  t.match(await ada.read(page), '>expired</span>')
  const { text } = await ada.visit('/keys?state=expired')
  t.match(text, 'title="production"')
  t.notMatch(text, 'title="another"')
  t.notMatch(await ada.read('/keys?state=active'), 'title="production"')
  const switched = async () => {
    for (const to of ['off', 'on']) await ada.submit(page, `${page}/switch`, { to })
    return ada.read(page)
  }
  t.match(await switched(), 'The key is on, but its state is “expired”.')
  await dashboard.accounts.setKeyRules(id, NO_RULES)
  t.match(await switched(), 'Requests with it are answered again.')
  await dashboard.accounts.adjust({ account: ADA, micros: 28_000, reference: 'back', kind: 'refund' })
  t.match(await switched(), 'The key is on, but its state is “refused: no balance”.')
})
