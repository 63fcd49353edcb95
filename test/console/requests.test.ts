import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Browser } from '../support/dashboard.ts'
import { DEFAULT_INDEX } from '../support/default-index.ts'
import { post, send } from '../support/post.ts'
import { postrieJson, startServer } from '../support/processes.ts'

/** Starts a server, whose customer Ada has a key. */
async function start(t: Test, more: NodeJS.ProcessEnv = {}) {
  const dir = t.testdir()
  const env = { INDEX_FILE: DEFAULT_INDEX, HTTP_THREADS: '2', BULK_WORKERS: '0', ...more }
  const server = await startServer(dir, env)
  t.teardown(() => server.stop())
  const browser = new Browser(server.dashboard)
  await browser.signIn('ada@example.com')
  t.match(await browser.read('/requests'), /No requests yet.*Errors since 20\d\d-.*None so far\./s)
  const { key: apiKey, id } = await postrieJson(dir, 'key create ada@example.com --label checkout'.split(' '))
  /** Threads hand over their notes a moment later. */
  const visitUntil = async (path: string, wanted: RegExp) => {
    for (;;) {
      const { text } = await browser.visit(path)
      if (wanted.test(text)) return text
    }
  }
  return { dir, env, server, browser, apiKey, id, visitUntil }
}

t.test('requests and errors are shown, filtered and exported, and codes only if switched on', async t => {
  const { dir, server, browser, apiKey, id, visitUntil } = await start(t, { OPERATORS: 'ada@example.com' })
  const ask = (path: string, body: object) => post(server.api, path, { apiKey, ...body })

  t.equal((await ask('/api/lookup', { zipcode: '90210' })).status, 200)
  t.equal((await ask('/api/metacode', { zipcode: '10001' })).status, 200)
  const records = [1, 2].map(() => ({ postalCode: '10001', countryCode: 'US' }))
  t.equal((await ask('/api/validate-bulk', { records })).status, 200)
  await visitUntil('/requests', /validate-bulk (?:(?!<td).)*2 records/s)
  t.equal((await ask('/api/lookup', { zipcode: '00000' })).status, 404)
  const text = await visitUntil('/requests', /(<summary>(lookup|metacode) .*){3}/s)
  t.match(text, /checkout/)
  t.match(text, /<summary>metacode /)
  t.equal(text.match(/<summary>lookup /g)?.length, 2)
  t.match(text, /\$0\.000028/)
  t.notMatch(text, /90210|10001/, 'no requested code is shown')
  t.match(text, /Errors by hour/)
  const errors = await browser.read('/requests?only=errors')
  t.notMatch(errors, /<summary>metacode /)
  t.match(errors, />404</)
  const file = (await browser.read('/requests.csv?only=errors')).trim().split('\r\n')
  t.equal(file.length, 2)
  t.match(
    file[1],
    new RegExp(`,lookup,US,,404,ZIP code not found,[0-9.]+,${id},checkout,0\\.000000,127\\.0\\.0\\.1,$`),
  )

  for (const [path, body, reason] of [
    ['/api/lookup', { country: 'US' }, 'Missing required field: zipcode'],
    ['/api/lookup', { zipcode: '1', country: 'USA' }, 'Invalid &#39;country&#39;'],
    ['/api/city', { country: 'DE' }, 'Missing required field: city'],
    ['/api/validate-bulk', { records: [{ postalCode: '1' }] }, 'records\\[0\\].countryCode must be'],
  ] as const) {
    t.equal((await ask(path, body)).status, 400)
    await visitUntil('/requests?only=status-400', new RegExp(`<span class="under">${reason}`))
  }
  t.equal((await post(server.api, '/api/lookup', { apiKey: 'x' })).status, 400)
  const headers = { 'X-API-Key': apiKey }
  t.equal((await fetch(`${server.api}/api/lookup`, { method: 'POST', headers, body: '{}' })).status, 400)
  await visitUntil('/requests?only=status-400', /(<span class="under">Missing required field: zipcode.*){2}/s)
  t.equal((await fetch(`${server.api}/api/lookup`, { method: 'POST', headers, body: '{"zip' })).status, 400)
  await visitUntil('/requests?only=status-400', /<span class="under">Invalid JSON body/)
  // The second body has its key where the first one has its country.
  t.equal((await post(server.api, '/api/lookup', { country: 'USA', zipcode: '1', apiKey })).status, 400)
  t.equal((await post(server.api, '/api/lookup', { apiKey })).status, 400)
  const malformedFile = await visitUntil('/requests.csv?only=status-400', /(?:\r\n[^\r]+){8}/)
  const malformed = malformedFile.trim().split('\r\n')
  t.equal(malformed.length, 1 + 8, 'requests with a valid key')
  for (const row of malformed.slice(1)) t.match(row, /^[^,]+,([a-z]+,(US|USA|DE)|validate-bulk,),,/)
  t.match(await browser.read('/requests'), /<tbody>.*400 malformed</s, 'requests come before the chart')
  t.notMatch(await browser.read('/requests?only=status-200'), /Errors (since|by)/, 'none are asked for')
  const tooMany = Array.from({ length: 1001 }, () => records[0])
  t.equal((await ask('/api/validate-bulk', { records: tooMany })).status, 400)
  t.match(
    await visitUntil('/requests?q=exceeds', /<dt>Reason</),
    /<dt>What helps<\/dt><dd><a href="\/docs#validate-bulk">Send at most 1,000 records per request</,
  )
  t.match(await browser.read('/requests?q=exceeds'), `<dt>Key</dt><dd><a href="/keys/${id}">checkout</a>`)

  t.match(await browser.read('/requests?only=status-429'), /No request matches. \d+ requests are kept\./)
  await postrieJson(dir, ['key', 'cap', id, '0.000028'])
  while ((await ask('/api/validate', { zipcode: '94105' })).status === 200);
  await visitUntil('/requests?only=status-402', /<span class="under">The monthly cap of the key is used up/)
  t.match(await browser.read(`/keys/${id}`), /Monthly cap<\/h2>\s*<span[^>]*>\$0\.000028</)
  t.match(await visitUntil('/requests?q=monthly+cap', /monthly cap/), `href="/keys/${id}#cap-usd"`)
  t.notMatch(await browser.read('/requests?q=monthly+cap'), /ZIP code not found/)
  t.match(await browser.read('/requests?only=status-404'), /ZIP code not found<.*href="\/coverage"/s)
  await browser.submit(`/keys/${id}`, `/keys/${id}/cap`, { usd: '' })
  t.equal((await ask('/api/validate-bulk', { records: tooMany.slice(1) })).status, 402)
  await visitUntil('/requests', /It needed<\/dt><dd>\$0\.028 for 1,000 records, with a balance of \$0\.0/)
  await browser.submit(`/keys/${id}`, `/keys/${id}/rules`, { perDay: '1' })
  while ((await ask('/api/validate', { zipcode: '94105' })).status === 200);
  t.match(await browser.read(`/keys/${id}`), /Rules<\/h2>\s*<span[^>]*>1 a day</)
  await browser.submit(`/keys/${id}`, `/keys/${id}/rules`)
  t.match(await browser.expectRefused('/limits', '/limits', {}), 'Enter at least one limit')
  await browser.submit('/limits', '/limits/off')
  t.match(await browser.read('/limits'), /Rate limiting is off\..*Limits are off.*name="perMinute"/s, 'there')
  await browser.submit('/limits', '/limits', { perMinute: '', perHour: '1', perDay: '' })
  while ((await ask('/api/validate', { zipcode: '94105' })).status === 200);
  const banner =
    /<div class="problem banner" role="status"><.*account’s limit of 1 an hour is used up\. Requests are refused/
  t.match(await browser.read('/usage'), banner)
  const ofAccount =
    /<span class="under">Rate limit exceeded: the limit of the account, 1 an hour, has room again at \d\d:00:00</
  const ofLimit = await visitUntil('/requests?only=status-429', ofAccount)
  t.match(
    await browser.read('/limits'),
    /only while limits are on.*counted this hour.*formaction="\/limits\/off"/s,
  )
  t.match(ofLimit, /href="\/limits">Change the limits</)
  t.match(ofLimit, /This limit no longer applies\.<.*of the key, 1 a day, has room again at 00:00:00</s)
  await browser.submit('/limits', '/limits/off')
  t.notMatch(await browser.read('/usage'), banner)
  t.match(
    await browser.read('/account/log'),
    `Set the monthly cap of a key to none<span class="under"><a href="/keys/${id}">“checkout”</a>`,
  )

  const on = await browser.submit('/requests', '/requests/codes', { keep: 'on' })
  t.equal(on.status, 303)
  t.equal((await ask('/api/validate', { zipcode: '94105' })).status, 200)
  await visitUntil('/requests', /<summary>validate US 94105</)
  await browser.submit('/requests', '/requests/codes', { keep: 'off' })
  t.equal((await ask('/api/validate', { zipcode: '60601' })).status, 200)
  t.notMatch(await visitUntil('/requests', /(<summary>validate .*){2}/s), /60601/)
  t.match(await browser.read('/account/log'), /log of codes off.*log of codes on until/s, 'in the log')

  const [, hour = ''] =
    /<time datetime="([^:]+):/.exec(/<tbody>.*/s.exec(await browser.read('/requests'))?.[0] ?? '') ?? []
  const within = `range=dates&from=${hour}:00&to=${hour}:59`
  const [, bar = ''] = /href="\/requests\?only=errors&amp;([^"]+)"[^>]*tabindex="0"/.exec(errors) ?? []
  t.match(bar, /^range=dates&amp;from=.{10}T\d\d:00&amp;to=.{10}T\d\d:59$/, 'a bar leads to its hour')
  t.match(await browser.read(`/requests?${within}`), `name="from" value="${hour}:00" type="datetime-local"`)
  const all200 = await browser.read(
    `/requests?only=status-200&endpoint=validate-bulk&range=dates&from=${hour}:00`,
  )
  t.match(all200, '<p class="hint">1 request kept, $0.000056, 0 errors</p>', 'what is found, and its cost')
  t.match(
    await browser.read(`/requests?range=dates&from=${hour}:59&to=${hour}:00`),
    'The last time is before the first.',
  )
  t.match(
    await browser.read(`/requests?range=dates&from=${hour.slice(0, 10)}T23:59`),
    /Nothing in this time|23:59:/,
  )
  const day = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10)
  const past = `range=dates&from=${day}T12:00&to=${day}T12:59`
  const { url } = await browser.visit(`/requests?key=${id}&endpoint=lookup&${past}`)
  t.match(url, `/usage?range=dates&from=${day}&to=${day}&key=${id}&endpoint=lookup`, 'no longer kept')
  t.match(await browser.read(`/requests?only=errors&${past}`), 'Nothing in this time.')

  const other = new Browser(server.dashboard)
  await other.signIn('bob@example.com')
  t.match(await other.read('/requests'), /No requests yet/, 'nothing of another account')
  t.equal((await browser.visit('/requests?page=99999999')).status, 200)

  await postrieJson(dir, ['key', 'roll', id, '--overlap', '0'])
  t.equal((await ask('/api/validate', { zipcode: '60601' })).status, 401)
  await visitUntil(
    '/requests',
    /Invalid API key: pk_live_\w+…, the secret was replaced<(?:(?!<tr).)*checkout(?:(?!<tr).)*data-head="Requests">1</s,
  )
  t.match(
    await browser.read('/requests?only=status-401'),
    RegExp(
      `Send the secret that begins with pk_live_\\w+, or somebody .* old one: <a href="/keys/${id}">see from`,
    ),
  )
  t.match(await browser.read(`/keys?q=${apiKey}`), `href="/keys/${id}"`, 'its former secret finds it')
  await postrieJson(dir, ['key', 'revoke', id])
  t.notMatch(await browser.read(`/keys/${id}`), />(present|earlier|until replaced)</, 'no secret works')
  t.equal((await ask('/api/validate', { zipcode: '60601' })).status, 401)
  await visitUntil(
    '/requests',
    /the key was revoked<(?:(?!<tr).)*checkout(?:(?!<tr).)*data-head="Requests">1<.*the secret was replaced<(?:(?!<tr).)*data-head="Requests">1</s,
  )
  t.match(
    await browser.read('/'),
    /Errors by reason.*the key was revoked.*the secret was replaced.*>All \d+ reasons/s,
    'the latest first',
  )
  for (const query of ['only=errors', 'only=status-401', `only=errors&key=${id}`, within])
    t.match(await browser.read(`/requests?${query}`), 'the key was revoked', query)
  t.match(await browser.read(`/requests?q=${apiKey}`), `Invalid API key: ${apiKey.slice(0, 12)}…`)
  for (const query of ['only=status-404', 'key=other&endpoint=lookup', 'q=metacode', `only=errors&${past}`])
    t.notMatch(await browser.read(`/requests?${query}`), 'the key was revoked', query)
  const all = Number(/Errors<\/dt><dd><a [^>]*>(\d+)</.exec(await browser.read(`/keys/${id}`))?.[1])
  const refused = (await browser.read(`/requests.csv?only=errors&key=${id}`)).trim().split('\r\n').length - 1
  t.equal(all, refused, 'the page of the key counts its 401s')
  t.match(await browser.read('/operator/accounts?state=errors'), /ada@example\.com<(?!.*bob@example)/s)
  t.match(await browser.read('/operator/accounts'), '>Refused now (1)<')
  const { text: account } = await browser.visit('/operator/accounts/ada@example.com')
  t.match(account, /Errors by reason.*the limit of the account, 1 an hour · <.*?>429<.*?checkout</s)
  t.match(account, /the key was revoked · <(?:(?!<tr).)*Send another key/, 'the operator reads of 401, too')
  await postrieJson(dir, ['account', 'suspend', 'ada@example.com', '--reason', 'a test'])
  const shown = await postrieJson(dir, ['account', 'show', 'ada@example.com'])
  const revoked = shown.refusals.find(({ reason }: { reason: string }) => /revoked$/.test(reason))
  t.match(revoked, { status: 401, keys: [id], remedy: 'Send another key: this one is revoked for good' })
})

t.test('a leaked key is found by its addresses and request ids, and switched off and on', async t => {
  const trusted = { TRUSTED_PROXIES: '127.0.0.1' }
  const { dir, env, server, browser, apiKey, id, visitUntil } = await start(t, trusted)
  const ask = (from: string, requestId = '') =>
    send(server.api, '/api/lookup', {
      method: 'POST',
      headers: { 'X-Forwarded-For': from, ...(requestId && { 'X-Request-Id': requestId }) },
      body: JSON.stringify({ apiKey, zipcode: '90210' }),
    })
  for (let shop = 0; shop < 3; shop++) await ask('203.0.113.9')
  for (const order of ['order-4711', 'order-4712']) await ask('2001:db8:0:7::1', order)
  // A stranger with a whole /64 is one address, and many strangers cannot push out the shop.
  for (let host = 2; host < 6; host++) await ask(`2001:db8:0:7::${host}`)
  for (let network = 100; network < 130; network++) {
    await ask(`2001:db8:${network}::1`)
    // In a burst, only some are seen.
    if (network % 10 === 9) await visitUntil(`/keys/${id}`, RegExp(`2001:db8:${network}::/64`))
  }
  const page = await browser.read(`/keys/${id}`)
  t.match(page, /2001:db8:0:7::\/64<.*?<td[^>]*>6<.*203\.0\.113\.9<.*?<td[^>]*>3</s)
  t.equal(page.match(/::\/64<\/a>/g)?.length, 19)
  t.match(page, /all others.*?<td[^>]*>\d+</s, 'the sum of what is not named')
  t.match(page, />All \d+ addresses and all others</)
  t.match(page, 'value="203.0.113.9" aria-label="Allow 203.0.113.9"', 'not ticked: it may be a stranger')
  t.match(page, 'Allow only the ticked addresses</button>')
  const ticked = `/keys/${id}?allow=203.0.113.9&allow=2001:db8:0:7::/64&allow=203.0.113.9`
  const proposal = await browser.read(ticked)
  t.match(
    proposal,
    /<span class="now">none now; the ticked addresses are not saved yet<.*>203\.0\.113\.9\n2001:db8:0:7::\/64<\/textarea><\/label><span class="hint"><strong role="status">Not saved yet: save/s,
  )
  t.match(proposal, 'value="203.0.113.9" checked="" aria-label', 'the tick stays')
  t.notMatch(await browser.read(`/keys/${id}/roll`), 'name="allow"', 'a step asks for one thing')
  t.match(page, />present<\/span> <\/td>/, 'the page has its start already')
  t.match(await browser.read('/requests?q=order-4711'), />2001:db8:0:7::1<.*|order-4711/s)
  t.match(await browser.read('/requests?q=2001:db8:0:7::1'), /order-4712.*order-4711/s, 'each has a row')
  t.match(await browser.read('/requests?q=2001:db8:0:7::/64'), /order-4712.*order-4711/s, 'their network')
  t.notMatch(
    await browser.read('/requests?q=2001:db8:0:7::'),
    /order-471/,
    'another address, of which it is a part',
  )
  t.equal((await browser.read('/requests.csv?q=203.0.113.9')).trim().split('\r\n').length, 1 + 3)
  t.match(
    await browser.read('/requests?q=203.0.113.9'),
    `3 requests kept, $0.000084, 0 errors. Not yours? <a href="/keys/${id}#uses">See what its key has counted, or roll it<`,
  )
  t.notMatch(await browser.read('/requests?q=checkout'), 'Not yours?')

  await postrieJson(dir, ['key', 'roll', id, '--overlap', '24h'])
  t.match(await browser.read(`/keys/${id}`), /works until .* UTC\./)
  await ask('203.0.113.9')
  const row = /203\.0\.113\.9<(?:(?!<tr).)*>earlier<\/span> <code>pk_live_/s
  await visitUntil(`/keys/${id}`, row)
  t.match(await browser.read(`/keys/${id}/end-overlap`), row, 'so does the step that refuses it')

  await browser.submit(`/keys/${id}`, `/keys/${id}/rules`, { addresses: '203.0.113.0/24' })
  const refused = await ask('198.51.100.23')
  t.equal(refused.status, 403)
  await visitUntil(
    '/requests',
    /<span class="under">API key not allowed from this address: 198\.51\.100\.23</,
  )
  t.match(
    await browser.read('/'),
    /this address<\/a><span class="muted">, last lookup from 198\.51\.100\.23<(?:(?!<tr).)*Change the rules/,
  )
  t.match(await browser.read('/requests'), '<dt>The key allows</dt><dd>only from 203.0.113.0/24</dd>')
  const proposed = '?allow=198.51.100.23&allow=203.0.113.9'
  t.match(
    await browser.read(`/keys/${id}`),
    /value="198\.51\.100\.23" aria-label.*value="203\.0\.113\.9" checked="" aria-label/s,
    'the addresses of the rule are ticked',
  )
  t.match(await browser.read(`/keys/${id}${proposed}`), '>203.0.113.0/24\n198.51.100.23</textarea>')
  const only = '?allow=198.51.100.23'
  t.match(await browser.read(`/keys/${id}${only}`), '>198.51.100.23</textarea>', 'the other one goes')
  t.match(await browser.read(`/keys/${id}?allow=no+address`), '>203.0.113.0/24</textarea>')
  await browser.submit(`/keys/${id}`, `/keys/${id}/rules`, { endpoints: 'validate' })
  t.equal((await ask('198.51.100.23')).status, 403)
  const ofEndpoint =
    /this endpoint<\/a><span class="muted">, last lookup<(?:(?!<tr).)*#rules-endpoints">Change/
  await visitUntil('/', ofEndpoint)
  t.match(
    await visitUntil('/requests?only=status-403', /this endpoint</),
    `<dt>Reason</dt><dd>API key not allowed for this endpoint</dd><dt>What helps</dt><dd><a href="/keys/${id}#rules-endpoints">Change the rules of the key</a>`,
    'the opened row, too, and first',
  )
  await browser.submit(`/keys/${id}`, `/keys/${id}/rules`, { addresses: '203.0.113.0/24\n198.51.100.0/24' })
  t.match(await browser.read('/'), /last lookup from 198\.51\.100\.23<(?:(?!<tr).)*The rules allow it now/)

  await browser.submit(`/keys/${id}`, `/keys/${id}/switch`, { to: 'off' })
  t.same((await ask('192.0.2.66')).json, { error: 'Invalid API key' })
  t.match(await browser.read(`/keys/${id}`), '>off</span> since <time')
  const trying = /192\.0\.2\.66<(?:(?!<tr).)*class="tag caution">refused</s
  const tried = await visitUntil(`/keys/${id}`, trying)
  t.match(tried, /<tbody><tr><th scope="row"><a [^>]*>192\.0\.2\.66</, 'first, of any number of addresses')
  for (const step of ['revoke', 'roll']) t.match(await browser.read(`/keys/${id}/${step}`), trying, step)
  await browser.submit(`/keys/${id}`, `/keys/${id}/switch`, { to: 'on' })
  const wasOff = /…, the key was off<(?:(?!<tr).)*The key is on now\./s
  t.match(await browser.read('/requests?only=errors'), wasOff, 'the reason of a refusal stays')
  await browser.submit(`/keys/${id}`, `/keys/${id}/switch`, { to: 'off' })
  t.match(
    await browser.read('/requests?q=192.0.2.66'),
    />401<.*Invalid API key: pk_live/s,
    'the thief still tries',
  )
  t.match(await browser.read('/keys?state=off'), /checkout.*>off</s)
  t.match(await browser.read('/keys?state=active'), 'No key matches')
  await server.stop()
  const again = await startServer(dir, env)
  t.teardown(() => again.stop())
  const later = () => post(again.api, '/api/validate', { apiKey, zipcode: '90210' })
  t.equal((await later()).status, 401, 'still off after a restart')
  t.match(await postrieJson(dir, ['key', 'on', id]), { state: 'active' })
  t.equal((await later()).status, 403, 'on again, with its rules')
})

t.test('after an overlap, the page of a key tells use of the earlier secret from refusals', async t => {
  const { dir, server, browser, apiKey, id, visitUntil } = await start(t)
  const ask = () => post(server.api, '/api/lookup', { apiKey, zipcode: '90210' })
  await postrieJson(dir, ['key', 'roll', id, '--overlap', '24h'])
  t.equal((await ask()).status, 200)
  await visitUntil(`/keys/${id}`, />earlier<\/span> <code>/)
  await browser.submit(`/keys/${id}`, `/keys/${id}/end-overlap`)
  for (let times = 0; times < 3; times++) t.equal((await ask()).status, 401)
  t.match(await visitUntil('/requests', / · 3 times in 1 second</), /<dt>First<.*<dt>Time</s)
  const row = '127\\.0\\.0\\.1<(?:(?!<tr).)*'
  const page = await browser.read(`/keys/${id}`)
  t.match(page, RegExp(`${row}>until replaced<`, 's'))
  t.match(page, RegExp(`${row}>refused<`, 's'))
  t.match(page, `<a class="button " href="/keys/${id}/switch">Switch off</a>`)
  t.match(
    await browser.read(`/keys/${id}/switch`),
    RegExp(`Switch off “checkout”\\?.*${row}>refused<`, 's'),
    'so does the step that stops it',
  )
  await browser.submit(`/keys/${id}/switch`, `/keys/${id}/switch`, { to: 'off' })
  t.match(await browser.read(`/keys/${id}`), 'The key is off. Requests with it are refused from now on.')
})

t.test('a burst of refusals is counted in full, and hides no other reason', async t => {
  const { server, browser, apiKey, visitUntil } = await start(t, { HTTP_THREADS: '1' })
  const ask = (body: object) => post(server.api, '/api/lookup', { apiKey, ...body })
  t.equal((await ask({ zipcode: '90210' })).status, 200)
  t.equal((await ask({ country: '?' })).status, 400)
  const answers = await Promise.all(Array.from({ length: 1200 }, () => ask({ zipcode: '00000' })))
  t.same(new Set(answers.map(({ status }) => status)), new Set([404]))
  const reasons = /zipcode<.*?data-head="Requests">1<.*ZIP code not found<.*?data-head="Requests">1,200</s
  const differs =
    /1,000 requests of each status, of 401 the last 100 of each secret, fewer of a burst.*All errors are counted/
  for (const path of ['/', '/requests']) await visitUntil(path, reasons)
  t.match(await browser.read('/requests?only=status-400'), />400<.*Missing required field: zipcode/s)
  t.match(await browser.read('/requests?only=status-404'), / of 1,200 requests are kept/)
  t.match(await browser.read('/keys'), /only=errors[^>]*>1,201</)
  t.match(await browser.read('/requests'), differs, 'the page says why counts and list differ')
  t.notMatch(await browser.read('/requests?only=status-400'), 'listed.')
})

t.test('requests, counts, addresses and codes are kept over an orderly restart', async t => {
  const { dir, env, apiKey, id, ...first } = await start(t, { HTTP_THREADS: '1' })
  let { server, browser } = first
  t.teardown(() => server.stop())
  const ask = (zipcode: string) => post(server.api, '/api/lookup', { apiKey, zipcode })
  const restart = async (signal?: NodeJS.Signals, between = () => {}) => {
    await server.stop(signal)
    between()
    server = await startServer(dir, env)
    browser = new Browser(server.dashboard)
    await browser.signIn('ada@example.com')
    return browser.read('/requests')
  }
  await ask('10001')
  await browser.submit('/requests', '/requests/codes', { keep: 'on' })
  await ask('90210')
  // The last notes of a thread wait for its next message, which the end must not lose.
  await ask('00000')
  const before = Date.now()
  const kept = await restart()
  t.match(kept, /404.*US 00000.*US 90210/s, 'the code is kept, since its time is not over')
  t.notMatch(kept, '10001')
  t.match(kept, /404 no such code or city<\/span> <span[^>]*>1</)
  t.match(await browser.read(`/keys/${id}`), /Requests by address.*127\.0\.0\.1<.*?<td[^>]*>3</s)
  const [, since = ''] = /Since <time datetime="([^"]+)"/.exec(kept) ?? []
  t.ok(Date.parse(since) < before, 'the page says since when')
  t.notOk(existsSync(join(dir, 'activity')), 'a crash cannot bring back an older log')
  await ask('90210')
  const lost = await restart('SIGKILL')
  t.match(lost, /No requests since 20\d\d-.*Errors since 20\d\d-.*None so far\./s, 'a crash loses them')
  for (const content of ['another file', 'postrie activity 1\n1234damaged']) {
    const dropped = await restart(undefined, () => writeFileSync(join(dir, 'activity'), content))
    t.match(dropped, /No requests since/, content)
    t.match(server.output.stderr + server.output.stdout, /the log of requests cannot be read and is dropped/)
  }
})
