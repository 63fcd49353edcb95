/** Commands next to a running server: each goes through its socket. */
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { socketPath } from '../../src/control/operator/socket-path.ts'
import { postrie, postrieJson, startFakeServer, type TestServer } from '../support/processes.ts'

t.test('commands work while a server runs', async t => {
  const dir = t.testdir()
  const server = await startFakeServer(dir)
  t.teardown(() => server.child.kill('SIGKILL'))
  t.match(server.key, /^pk_live_/, 'the first start shows a key')
  t.equal((await stat(join(dir, 'control.sock'))).mode & 0o777, 0o600)
  await everyCommand(t, dir)
  t.match(await postrieJson(dir, ['key', 'list', 'demo']), [{ active: true }], 'demo names the first account')

  t.equal((await ask(server, server.key)).status, 200)
  const [demoKey] = await postrieJson(dir, ['key', 'list', 'demo'])
  await postrieJson(dir, ['key', 'revoke', demoKey.id])
  t.equal((await ask(server, server.key)).status, 401, 'revoked on the next request')

  const second = await postrieJson(dir, ['key', 'create', 'demo'])
  t.equal((await ask(server, second.key)).status, 200)
  await postrieJson(dir, ['account', 'suspend', 'demo', '--reason', 'a test'])
  t.equal((await ask(server, second.key)).status, 401, 'suspended: refused on the next request')
  await postrieJson(dir, ['account', 'resume', 'demo', '--reason', 'a test'])
  t.equal((await ask(server, second.key)).status, 200, 'resumed: answered again')
  t.equal((await ask(server, server.key)).status, 401, 'but not the revoked key')

  t.equal((await fetch(`${server.dashboard}/healthz`)).status, 200)
  t.match(await (await fetch(`${server.dashboard}/metrics`)).text(), /^# HELP /)

  t.equal(await server.stop('SIGTERM'), 0, 'it exits with 0 on SIGTERM')
  await t.rejects(stat(join(dir, 'control.sock')), 'the socket is removed')
  t.match(await postrieJson(dir, ['account', 'list']), [{ email: 'demo@localhost', spent: 0.000084 }, {}, {}])
})

t.test('a second server on the same folder is refused', async t => {
  const dir = t.testdir()
  const server = await startFakeServer(dir)
  t.teardown(() => server.child.kill('SIGKILL'))
  await t.rejects(startFakeServer(dir), new RegExp(`in use by process ${server.child.pid}`))
  t.equal((await fetch(`${server.dashboard}/healthz`)).status, 200, 'the first server is not affected')
})

t.test('a socket left by a dead server does not get in the way', async t => {
  const dir = t.testdir()
  const first = await startFakeServer(dir)
  await first.stop('SIGKILL')
  t.ok((await stat(join(dir, 'control.sock'))).isSocket(), 'the socket is left')
  t.match(await postrieJson(dir, ['account', 'list']), [{ email: 'demo@localhost' }], 'a command works')
  const second = await startFakeServer(dir)
  t.teardown(() => second.child.kill('SIGKILL'))
  t.equal(second.key, '', 'a key is shown on the first start only')
  t.match(
    await postrieJson(dir, ['account', 'list']),
    [{ email: 'demo@localhost' }],
    'a new server replaces the socket',
  )
})

t.test('the socket refuses what is not an operation', async t => {
  const dir = t.testdir()
  const server = await startFakeServer(dir)
  t.teardown(() => server.child.kill('SIGKILL'))
  const post = (path: string, body: string) => raw(join(dir, 'control.sock'), path, body)
  t.match(await post('/operator/account.create', '{'), /400 .*parameters must be JSON/s)
  t.match(await post('/operator/account.create', '[]'), /400 .*must be a JSON object/s)
  t.match(await post('/operator/account.create', '{"mail":"x"}'), /400 .*unknown parameter 'mail'/s)
  t.match(await post('/operator/toString', '{}'), /404 .*unknown command/s)
  t.match(await post('/operator/account.create', `"${'x'.repeat(70_000)}"`), /400 .*exceed 65536 bytes/s)
})

function ask(server: TestServer, apiKey: string): Promise<Response> {
  return fetch(`${server.api}/api/lookup`, {
    method: 'POST',
    body: JSON.stringify({ zipcode: '90210', apiKey }),
  })
}

async function raw(socketFile: string, path: string, body: string): Promise<string> {
  const { path: short, free } = socketPath(socketFile)
  const socket = connect(short)
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  let text = ''
  socket.on('data', chunk => (text += chunk))
  await once(socket, 'close')
  free()
  return text
}

/** Runs every account and key command on `dir` and checks its output. */
async function everyCommand(t: Test, dir: string) {
  const ada = await postrieJson(dir, ['account', 'create', 'ada@example.com'])
  t.same(Object.keys(ada), ['id', 'email', 'balance'])
  t.match(ada, { email: 'ada@example.com', balance: 0.028 })

  const credit = ['account', 'credit', 'ada@example.com', '5.00', '--reference', 'r1']
  t.match(await postrieJson(dir, credit), { credited: 5, applied: true, balance: 5.028 })
  t.match(await postrieJson(dir, credit), { applied: false, balance: 5.028 }, 'a reference is applied once')
  const other = await postrie(dir, ['account', 'credit', ada.id, '6', '--reference', 'r1'])
  t.equal(other.code, 1)
  t.match(other.stderr, /^postrie: /)

  const made = await postrieJson(dir, ['key', 'create', ada.id, '--label', 'test'])
  t.same(Object.keys(made), ['id', 'key'])
  t.match(made.key, /^pk_live_[0-9A-Za-z]{36}$/)
  t.match(await postrieJson(dir, ['key', 'rename', made.id, 'other']), { label: 'other', active: true })
  t.match(await postrieJson(dir, ['key', 'cap', made.id, '2.5']), { cap: 2.5 })
  t.match(await postrieJson(dir, ['key', 'cap', made.id, '--off']), { cap: null })
  const rules = ['key', 'rules', made.id]
  t.match(await postrieJson(dir, rules), {
    expiresAt: null,
    rateLimits: null,
    endpoints: null,
    addresses: null,
  })
  const wanted = [
    '--expires',
    '2099-01-31',
    '--per-day',
    '9',
    '--endpoints',
    'lookup, city',
    '--addresses',
    '::1,10.1.2.3/8',
  ]
  t.match(await postrieJson(dir, [...rules, ...wanted]), {
    state: 'active',
    expiresAt: '2099-01-31T00:00:00.000Z',
    rateLimits: { perMinute: null, perHour: null, perDay: 9 },
    endpoints: ['lookup', 'city'],
    addresses: ['::1', '10.0.0.0/8'],
  })
  t.match(await postrieJson(dir, [...rules, '--per-day', 'none', '--endpoints', 'none', '--per-hour', '5']), {
    expiresAt: '2099-01-31T00:00:00.000Z',
    rateLimits: { perHour: 5, perDay: null },
    endpoints: null,
    addresses: ['::1', '10.0.0.0/8'],
  })
  t.match(
    (await postrie(dir, rules)).stdout,
    /expires at +2099-01-31 00:00:00\nrate limits +per hour 5\nendpoints +-/,
  )
  t.match(
    (await postrie(dir, [...rules, '--addresses', 'example.com'])).stderr,
    /"example.com" is not an address/,
  )
  t.match((await postrie(dir, [...rules, '--expires', '2020-01-01'])).stderr, /a time in the future/)
  t.match(await postrieJson(dir, [...rules, '--off']), { expiresAt: null, rateLimits: null, addresses: null })
  const rolled = await postrieJson(dir, ['key', 'roll', made.id, '--overlap', '7d'])
  t.same(Object.keys(rolled), ['id', 'key', 'earlier'])
  t.match(rolled, {
    id: made.id,
    key: /^pk_live_[0-9A-Za-z]{36}$/,
    earlier: { start: made.key.slice(0, 12) },
  })
  t.match(await postrieJson(dir, ['key', 'roll', made.id, '--end-overlap']), { earlier: null, active: true })
  t.match(
    (await postrie(dir, ['key', 'roll', made.id, '--overlap', '0'])).stdout,
    /^id .*\nkey +pk_live_\w{36}\nearlier +-\nCopy the key now: .*\n$/,
  )
  t.match(
    (await postrie(dir, ['key', 'roll', made.id, '--overlap', 'soon'])).stderr,
    /such as 0, 30m, 24h or 7d/,
  )
  t.match(await postrieJson(dir, ['key', 'revoke', made.id]), { active: false, state: 'revoked' })
  t.match(await postrieJson(dir, ['key', 'list', ada.id]), [{ id: made.id, active: false, queries: 0 }])

  const limits = ['account', 'limits', ada.id]
  t.match(await postrieJson(dir, limits), { rateLimits: null })
  t.match(await postrieJson(dir, [...limits, '--per-minute', '3', '--per-day', '9']), {
    rateLimits: { perMinute: 3, perHour: null, perDay: 9 },
  })
  t.match(await postrieJson(dir, [...limits, '--per-minute', 'none']), {
    rateLimits: { perMinute: null, perDay: 9 },
  })
  t.match(await postrieJson(dir, [...limits, '--off']), { rateLimits: null })

  t.match(await postrieJson(dir, ['account', 'threshold', ada.id, '2']), { threshold: 2 })
  t.match(await postrieJson(dir, ['account', 'threshold', ada.id, '--off']), { threshold: null })

  t.match(await postrieJson(dir, ['account', 'statement', ada.id]), [
    { amount: 0.028 },
    { amount: 5, balance: 5.028 },
  ])
  const csv = await postrie(dir, ['account', 'statement', ada.id, '--csv'])
  t.match(csv.stdout, /^time,kind,amount_usd,.*\r\n.*,0\.028000,.*\r\n.*,5\.000000,5\.028000,/)

  const members = ['account', 'members']
  t.match(await postrieJson(dir, [...members, 'list', ada.id]), {
    account: ada.id,
    members: [],
    invitations: [],
  })
  const unknown = await postrie(dir, [...members, 'add', ada.id, 'bob@example.com', '--role', 'billing'])
  t.equal(unknown.code, 1)
  t.match(unknown.stderr, /^postrie: nobody has signed in with the confirmed address 'bob@example\.com'/)
  t.equal((await postrie(dir, [...members, 'remove', ada.id, 'bob@example.com'])).code, 1)

  const standing = (verb: string, account: string) =>
    postrieJson(dir, ['account', verb, account, '--reason', 'asked for by phone'])
  t.match(await standing('suspend', ada.id), {
    state: 'suspended',
    reason: 'asked for by phone',
    balance: 5.028,
  })
  t.match(
    (await postrie(dir, ['account', 'search', 'ADA@', '--state', 'suspended', '--order', 'spent'])).stdout,
    /matches +1\npage +1\n(.*\n)*.*ada@example\.com +suspended/,
  )
  t.match(await standing('resume', ada.id), { state: 'active', reason: null })
  const gone = await postrieJson(dir, ['account', 'create', 'gone@example.com'])
  t.match(await standing('close', gone.id), { state: 'closed', balance: 0, taken: 0.028 })

  t.match(
    (await postrie(dir, ['account', 'list'])).stdout,
    /EMAIL.*\n(.*\n)*.*ada@example\.com +active +\$5\.028/,
  )
}
