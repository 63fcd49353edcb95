import t from 'tap'
import type { UsageRow } from '../../src/billing/accounts/reports/usage-report.ts'
import { systemClock } from '../../src/billing/ledger/timeline.ts'
import { spendOf } from '../../src/console/reports/spend.ts'
import { changeText, type UsageWish, usageSeries } from '../../src/console/reports/usage-series.ts'
import { sumOf } from '../../src/console/sums.ts'
import { USAGE_NAMES } from '../../src/service/endpoints/table.ts'
import { accountsUntilEnd } from '../support/accounts.ts'
import { charge, movableClock, signInAs, startWithCustomer } from '../support/dashboard.ts'
import { rowsOf, warningsOf } from './page-reader.ts'

const DAY_MS = 86_400_000
const ALL: UsageWish = { range: '24h', split: 'endpoint', key: '', endpoint: '' }

t.test('the smallest keys share the last series', async t => {
  const accounts = await accountsUntilEnd(t)
  const { id } = await accounts.createAccount({ email: 'ada@example.com' })
  for (let n = 1; n <= 13; n++) {
    const { secret } = await accounts.createKey(id, { label: `key ${n}` })
    charge(accounts, secret, 0, n * 10)
  }
  for (const range of ['48h', '90d'] as const) {
    const { series } = usageSeries(accounts, id, { ...ALL, range, split: 'key' }, Date.now())
    const shown = series.map(({ label, colour, values }) => [label.slice(0, 5), colour, Math.max(...values)])
    t.same(shown, [
      ...[0, 5, 4, 3, 2].map((colour, at) => [`key ${13 - at}`.slice(0, 5), colour, (13 - at) * 10]),
      ['other', 6, 360],
    ])
  }
})

t.test('an endpoint keeps its colour when the ranks change, and no two have one', async t => {
  const accounts = await accountsUntilEnd(t)
  const { id } = await accounts.createAccount({ email: 'ada@example.com' })
  const { secret } = await accounts.createKey(id)
  const coloursAfter = (...charges: (readonly [usage: number, queries: number])[]) => {
    for (const [usage, queries] of charges) charge(accounts, secret, usage, queries)
    const { series } = usageSeries(accounts, id, ALL, Date.now())
    return series.map(({ label, colour }) => `${colour} ${label}`)
  }
  const [lookup, , , verify] = USAGE_NAMES
  // Twelve endpoints have the colours of the first six again.
  const first = coloursAfter([12, 40], [6, 30], [3, 20], [0, 10])
  t.equal(new Set(first.map(each => each.slice(0, 1))).size, 4)
  t.match(first, [/^\d/, /^\d/, `3 ${verify}`, `0 ${lookup}`])
  t.same(
    coloursAfter([0, 100], [3, 50], [6, 1]),
    [3, 2, 0, 1].map(at => first[at]),
  )
})

t.test('proposed amounts count on the balance, and name the pace', async t => {
  const { accounts, ada, id } = await startWithCustomer(t)
  const { secret: key } = await accounts.createKey(id)
  await accounts.credit({ account: id, micros: 28_000_000, reference: 'large', kind: 'payment' })
  charge(accounts, key, 0, 500_000)
  movableClock(t)(2 * 86_400_000)
  await ada.signIn('ada@example.com')
  const { text } = await ada.visit('/balance')
  t.match(text, /lasts for 2 days at the pace of the last 3 days/)
  t.match(text, '$21.00 warns about 3 days ahead')
  t.match(text, /With \$14\.028, at the pace of the last 3 days:/)
  t.match(text, 'value="28.00"', 'the last payment, not an amount by the pace')
  t.match(text, /Spent this month.*about \$/s)
  const amounts = [...text.matchAll(/\$([\d.,]+) for (\d+) days/g)].map(([, usd, days]) => [days, usd])
  t.same(amounts, [
    ['7', '35.00'],
    ['30', '196.00'],
    ['90', '616.00'],
  ])
  charge(accounts, key, 0, 300_000)
  t.match(await ada.read('/balance'), /lasts for less than a day at the pace of the last/)
  const ending = () => ada.read('/').then(warningsOf)
  t.same(await ending(), [
    'caution: Your balance lasts for less than a day at the pace of the last 3 days. [Recharge or set a warning](/balance)',
  ])
  await accounts.setLowBalance(id, 1_000_000)
  t.same(await ending(), [], 'the customer has set a warning')
})

t.test('a chart has five endpoints and a file all, and every weekday has a name', async t => {
  const { accounts, ada } = await startWithCustomer(t)
  const { secret: key } = await accounts.createKey('ada@example.com')
  for (const usage of USAGE_NAMES.keys()) charge(accounts, key, usage)
  const { text } = await ada.visit('/usage?range=7d')
  const legend = [...text.matchAll(/<\/svg><span>([^<]+)<\/span>/g)].map(([, name]) => name)
  t.same([legend.length, legend.at(-1)], [6, 'other'])
  const [heads = ''] = (await ada.read('/usage.csv?range=7d')).split('\r\n')
  t.same(heads.split(',').slice(2, -1).toSorted(), USAGE_NAMES.toSorted(), 'a file hides none as other')
  const days = [...(/<svg class="times"[^>]*>(.*?)<\/svg>/.exec(text)?.[1] ?? '').matchAll(/\d\d-\d\d/g)]
  t.equal(new Set(days.map(([day]) => day)).size, 7, 'no day is there twice')
  t.match(text, /<title>[^<]* UTC\ntotal: 14\n/, 'a bar says its total')
  const labels = ['twin', 'twin', ...Array.from({ length: 16 }, (_, n) => `key ${n}`)]
  for (const label of labels)
    charge(accounts, (await accounts.createKey('ada@example.com', { label })).secret, 0, 20)
  t.match(await ada.read('/usage'), /All 19 keys<\/summary>/, 'no key is hidden as other')
  const byKey = await ada.read('/usage?split=key')
  t.match(byKey, /<th[^>]*>key \d+<\/th>/, 'a label without the start of its key')
  t.notMatch(byKey, /<th[^>]*>twin<\/th>/, 'but for a label of two keys')
  const shares = (await ada.read('/usage')).matchAll(/>([\d.]+)%</g)
  const sum = sumOf(Array.from(shares, ([, percent]) => Number(percent)))
  t.equal(Math.round(sum), 200, 'two lists, each in percent')
})

t.test('all pages round an amount alike, and a share is no more than it is', async t => {
  const { accounts, ada, id: account } = await startWithCustomer(t)
  const { id, secret } = await accounts.createKey(account)
  await accounts.credit({ account, micros: 10_000_000, reference: 'paid', kind: 'payment' })
  charge(accounts, secret, 0, 142_857)
  charge(accounts, secret, 2, 617)
  charge(accounts, secret, 3, 1)
  for (const page of ['/', '/balance', '/usage', '/keys', `/keys/${id}`])
    t.match(await ada.read(page), '$4.02', `${page}: $4.0173`)
  const limits = await ada.read('/limits')
  t.match(limits, 'The busiest of 30 days had 143,475 charged queries, the busiest of 48 hours 143,475.')
  const usage = await ada.read('/usage')
  t.match(usage, />\$4\.00<.*>99\.6%<.*>\$0\.02<.*>0\.4%<.*>under \$0\.01</s, 'a column has two decimals')
})

t.test('the overview compares two weeks by day', async t => {
  const endMs = Date.UTC(2026, 5, 20, 12)
  let nowMs = endMs - 10 * DAY_MS
  const clock = { ...systemClock, wallMs: () => nowMs, monotonicMs: () => nowMs }
  const accounts = await accountsUntilEnd(t, { clock })
  const { id } = await accounts.createAccount({ email: 'ada@example.com' })
  const [shop, till] = [await accounts.createKey(id), await accounts.createKey(id)]
  const weekOf = () => {
    const account = accounts.account(id)
    if (account === undefined) throw new Error('the account is gone')
    return spendOf(accounts, account, nowMs)
  }
  t.equal(weekOf().weekChange, '')
  charge(accounts, shop.secret, 0, 70)
  t.equal(weekOf().weekChange, '', 'no day before is there to compare with')
  t.equal(weekOf().daysLeft, null, 'minutes of use are no pace')
  accounts.usage(id, { by: 'hour' })
  nowMs = endMs - 3 * DAY_MS
  charge(accounts, till.secret, 0, 24)
  accounts.usage(id, { by: 'hour' })
  nowMs = endMs
  charge(accounts, shop.secret, 0, 13)
  charge(accounts, till.secret, 2, 65)
  const { weekQueries, weekChange, daysLeft } = weekOf()
  t.equal(Math.round(daysLeft ?? 0), 11, '828 queries at the 78 of the last day')
  t.equal(weekOf().pace, 'of the last 24 hours')
  t.equal(weekQueries, 102)
  t.equal(weekChange, 'today is 20 times a usual day', '78, and 24 in six whole days')
  const starts = [Date.UTC(2026, 5, 19), Date.UTC(2026, 5, 20)]
  const change = changeText({ by: 'day', starts, sums: [4, 7], before: [20, 20] }, 0, nowMs)
  t.equal(change, '80% fewer per full day than in the 2 days before')
  const young = { by: 'day', starts, sums: [20, 7], before: [0, 20] } as const
  t.equal(changeText(young, starts[0] - DAY_MS, nowMs), 'as many per full day as in the 1 day before')
  const usageOf = (wish: Partial<UsageWish>) => {
    const usage = usageSeries(accounts, id, { ...ALL, ...wish }, nowMs)
    const createdMs = accounts.account(id)?.createdMs ?? 0
    return [usage.total, usage.before && sumOf(usage.before), changeText(usage, createdMs, nowMs)]
  }
  t.same(usageOf({ range: '7d' }), [102, 70, weekChange], 'Usage agrees with the overview')
  t.match(usageOf({ range: 'dates', from: '2026-06-15', to: '2026-06-20' }), [102, 70])
  t.same(usageOf({ range: 'dates', from: '2026-06-10', to: '2026-06-19' }), [94, 0, ''])
  t.same(usageOf({ range: 'month' }).slice(0, 2), [172, 0], 'from the first of June on')
  t.same(usageOf({ range: 'before' }).slice(0, 2), [0, 0], 'all of May, before the account')
  t.same(usageOf({ range: '30d' }), [172, 0, ''], 'days before the account are no days without queries')
  t.same(usageOf({ range: '48h' }), [78, null, ''])
})

t.test('every range and filter adds up to the charges', async t => {
  const accounts = await accountsUntilEnd(t)
  const { id } = await accounts.createAccount({ email: 'ada@example.com' })
  const ids: string[] = []
  for (const usages of [[0, 0, 2], [3]]) {
    const { id: keyId, secret } = await accounts.createKey(id)
    ids.push(keyId)
    for (const usage of usages) charge(accounts, secret, usage)
  }
  const totalOf = (wish: Partial<UsageWish>) =>
    usageSeries(accounts, id, { ...ALL, ...wish }, Date.now()).total
  for (const range of ['24h', '48h', '7d', '30d', '90d'] as const) {
    t.equal(totalOf({ range }), 4, range)
    t.equal(totalOf({ range, key: ids[0] }), 3, `${range} of a key`)
    t.equal(totalOf({ range, endpoint: 'lookup' }), 2, `${range} of an endpoint`)
    t.equal(totalOf({ range, key: ids[1], endpoint: 'lookup' }), 0, `${range} of neither`)
    t.equal(totalOf({ range, split: 'key' }), 4, `${range} by key`)
  }
})

t.test('the downloaded file has the figures of the page', async t => {
  const { dashboard, accounts, ada } = await startWithCustomer(t)
  t.match(await ada.read('/usage'), 'Make the first request', 'an empty page says what to do')
  const { id, secret } = await accounts.createKey('ada@example.com', { label: '=danger' })
  charge(accounts, secret, 0, 3)
  charge(accounts, secret, 3, 2)
  await accounts.createKey('ada@example.com', { label: 'quiet' })
  t.match(await ada.read('/keys'), /Spent this month.*<tbody>.*=danger.*quiet/s, 'used keys are first')
  t.match(await ada.read('/keys?order=today'), /<tbody>.*=danger.*quiet/s, 'a leak is first')
  const query = `range=24h&split=key&key=${id}&endpoint=lookup`
  const { text } = await ada.visit(`/usage?${query}`)
  t.match(text, '$0.000084')
  t.match(text, `href="/usage.csv?${query.replaceAll('&', '&amp;')}"`)
  const answer = await ada.fetch(`/usage.csv?${query}`)
  t.match(answer.headers.get('Content-Disposition'), /^attachment; filename="postrie-usage-24h-/)
  const lines = (await answer.text()).trim().split('\r\n')
  t.equal(lines.length, 26, 'a head, 24 hours, a total')
  t.match(lines[0], /^hour_utc,Total,'=danger \(pk_live_/, 'no formula')
  t.equal(lines.at(-1), 'total,3,3,0.000084')
  const bob = await signInAs(dashboard, 'bob@example.com')
  t.match(await bob.read(`/usage.csv?range=90d&key=${id}`), 'total,0,0.000000', "another account's key")
  t.equal((await ada.fetch('/usage?range=__proto__&split=x&endpoint=constructor')).status, 200)
})

t.test('a statement has a line per day with details by key', async t => {
  const { accounts, ada } = await startWithCustomer(t)
  for (const label of ['shop', 'import', 'import']) {
    const { secret } = await accounts.createKey('ada@example.com', { label })
    charge(accounts, secret, 0, 5)
  }
  const { text } = await ada.visit('/receipts')
  const table = /<table><caption>Statement.*?<\/table>/.exec(text)?.[0] ?? ''
  t.equal([...table.matchAll(/<td[^>]*>Usage<\/td>/g)].length, 1, 'three keys, one line')
  t.match(table, /<summary>15 queries so far with 3 keys<\/summary>/)
  t.match(table, /<dt>“shop”<\/dt><dd>5 queries, \$0\.00014<\/dd>/)
  const amounts = Array.from(table.matchAll(/data-head="Amount">\+?(−?)\$([\d.]+)/g), ([, sign, usd]) =>
    Math.round(Number(usd) * (sign === '' ? 1e6 : -1e6)),
  )
  t.same(amounts, [27_580, -420, 28_000], 'exact, so that they add up to the month')
  t.match(
    table,
    />\$0\.02758.*>\$0\.02758.*Free credit.*data-head="Balance"><\/td>/s,
    'only the balance after the last line of a day existed',
  )
  t.match(table, /<time [^>]*>[^<]{16}<\/time><\/td><td[^>]*>Free credit</, 'a credit has its time')
  t.match(
    table,
    /"sum"><td[^>]*>20\d\d-\d\d<.*Credited \$0\.028<\/span> · <span[^>]*>Used −\$0\.00042</,
    'months have totals',
  )
  t.match(
    rowsOf(await ada.read('/receipts?what=money'), 'Statement').at(-1),
    /Free credit .* \+\$0\.028 \| $/,
    'also without its lines of usage',
  )
  t.match(await ada.read('/receipts?from=2001-01-01&to=2001-01-31'), 'Nothing in this time.')
  for (const page of ['/receipts', '/account/log']) {
    const reversed = await ada.read(`${page}?from=2001-01-31&to=2001-01-01`)
    t.match(reversed, /autofocus="" [^>]*>.*To: The last day is before the first\./s)
    t.notMatch(reversed, /Nothing in this time|Show all/)
  }
  t.match(
    await ada.read('/receipts?from=2001-01-01'),
    /Opening<\/dt><dd>\$0\.00<.*Credited<\/dt><dd>\$0\.028<.*Used<\/dt><dd>−\$0\.00042<.*Closing<\/dt><dd>\$0\.02758</s,
  )
  const file = await ada.read('/statement.csv')
  t.equal([...file.matchAll(/,usage,/g)].length, 3, 'the file goes on to have a line for each key')
  await accounts.adjust({ account: 'ada@example.com', micros: 5_004_444, reference: 'back', kind: 'dispute' })
  const owing = await ada.read('/balance')
  t.match(
    await ada.read('/receipts'),
    /<td[^>]*>Usage<.*title="−\$4\.976864">−\$4\.98<.*<td[^>]*>Dispute<.*<td[^>]*>Free credit</s,
    'usage is the last line of its day',
  )
  t.match(owing, />−\$4\.976864</, 'the debt is exact')
})

t.test('a statement without days of usage adds up by its months', async t => {
  const { accounts, ada } = await startWithCustomer(t)
  const [free] = accounts.statement('ada@example.com')
  const used = (day: string, micros: number, balanceAfterMicros: number) => {
    const usage = { kind: 'usage', key: 'key_x', reference: '', queries: 1 } as const
    return { ...free, ...usage, timeMs: Date.parse(day), micros: -micros, balanceAfterMicros }
  }
  const first = { ...free, timeMs: Date.parse('2026-01-05') }
  accounts.statement = () => [first, used('2026-01-07', 420, 27_580), used('2026-02-03', 280, 27_300)]
  t.match(rowsOf(await ada.read('/receipts?what=money'), 'Statement'), [
    /^2026-02 \| Month \| Used −\$0\.00028 \| −\$0\.00028 \| \$0\.0273$/,
    /^2026-01 \| Month \| Credited \$0\.028 · Used −\$0\.00042 \| \+\$0\.02758 \| \$0\.02758$/,
    /^2026-01-05 00:00 \| Free credit/,
  ])
})

t.test('usage names the key of a spike, also on an earlier day', async t => {
  const { accounts, ada, id } = await startWithCustomer(t)
  movableClock(t)(20 * DAY_MS)
  await ada.signIn('ada@example.com')
  const [shop, app] = [
    await accounts.createKey(id, { label: 'shop' }),
    await accounts.createKey(id, { label: 'app' }),
  ]
  charge(accounts, app.secret)
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const none = Object.fromEntries(USAGE_NAMES.map(name => [name, 0]))
  const day = (ago: number, key: string, lookup: number): UsageRow => {
    return { key, startMs: today - ago * DAY_MS, spentMicros: 28 * lookup, queries: { ...none, lookup } }
  }
  const usual = [0, 1, 2, 3, 4, 5, 6].flatMap(ago => [day(ago, shop.id, 1000), day(ago, app.id, 10)])
  let spike = day(0, app.id, 8000)
  accounts.usage = (_, { by }) => (by === 'hour' ? [] : [...usual, spike])
  t.match(
    await ada.read('/usage'),
    `: today is 9 times a usual day, mostly the key <a href="/usage?key=${app.id}">app</a>, 801 times its usual day. <a href="/keys/${app.id}#uses">See who uses the key</a>`,
  )
  t.match(await ada.read(`/usage?key=${app.id}`), `<a href="/keys/${app.id}#uses">See who uses the key</a>`)
  spike = day(2, app.id, 8000)
  t.match(await ada.read('/usage'), / was 9 times a usual day, mostly the key <a [^>]*>app</)
})

t.test('usage of chosen days, compared with as many days before', async t => {
  const today = (ago = 0) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10)
  const { accounts, ada } = await startWithCustomer(t)
  const { secret: key } = await accounts.createKey('ada@example.com')
  charge(accounts, key, 0, 6)
  t.match(await ada.read('/usage'), /in the last 7 days</, 'the account has no days before')
  t.match(await ada.read('/usage?range=90d&compare=before'), /the time before is not kept/)
  const dates = `range=dates&from=${today(3)}&to=${today()}`
  const { text } = await ada.visit(`/usage?${dates}&compare=before`)
  t.match(text, /— before \(0 days\)/, 'a sum of fewer days is no sum of as many')
  t.match(text, new RegExp(`6 queries.*from <time>${today(3)}</time> to <time>${today()}</time>`))
  t.match(text, new RegExp(`name="from" value="${today(3)}" type="date" min="${today(89)}" max="${today()}"`))
  t.notMatch(text, /lookup: 6\nbefore/, 'today is not over, so no whole day is set against it')
  t.equal([...text.matchAll(/class="before"/g)].length, 0, 'no line over a bar before the account')
  const file = await ada.read(`/usage.csv?${dates}&compare=before`)
  t.match(
    file,
    /^day_utc,Total,Before,lookup,dollars\r\n.*,0,,0,0\.000000\r\n[^,]*,6,,6,0\.000168\r\ntotal,6,0,6,/s,
  )
  const kept = `Usage is kept from ${today(89)} to ${today()}`
  for (const [from, to, name, problem] of [
    [today(90), today(), 'from', kept],
    [today(3), today(-1), 'to', kept],
    ['x', '2026-99-99', 'to', kept],
    [today(1), today(2), 'to', 'The last day is before the first'],
  ] as const) {
    const wrong = `?range=dates&from=${from}&to=${to}`
    const { text } = await ada.visit(`/usage${wrong}`)
    t.match(text, new RegExp(`name="${name}"[^>]*aria-describedby="problem-${name}"`), wrong)
    t.match(text, new RegExp(`role="alert" id="problem-${name}">[^<]*${problem}`), wrong)
    t.notMatch(text, /queries, \$|Export CSV/, 'no figures of other days')
    t.match((await ada.visit(`/usage.csv${wrong}`)).text, problem, 'nor a file')
  }
})
