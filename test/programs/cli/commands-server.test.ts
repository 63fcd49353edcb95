import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { socketPath } from '../../../src/console/operator/operator-client.ts'
import { command, postrieJson, startFakeServer, type TestServer } from '../../support/processes.ts'

t.test('commands work beside a server and after it', async t => {
  const dir = t.testdir()
  const started: TestServer[] = []
  t.teardown(() => {
    for (const { child } of started) child.kill('SIGKILL')
  })
  const start = async () => {
    const server = await startFakeServer(dir)
    started.push(server)
    return server
  }
  const socketFile = join(dir, 'control.sock')
  const server = await start()
  t.match(server.key, /^pk_live_/, 'the first start shows a key')
  t.equal((await stat(socketFile)).mode & 0o777, 0o600)
  await checkEveryCommand(t, dir)

  t.equal((await ask(server, server.key)).status, 200)
  const [demoKey] = await postrieJson(dir, ['key', 'list', 'demo'])
  t.match(demoKey, { state: 'active' }, 'demo names the first account')
  await postrieJson(dir, ['key', 'revoke', demoKey.id])
  t.equal((await ask(server, server.key)).status, 401, 'revoked on the next request')

  const second = await postrieJson(dir, ['key', 'create', 'demo'])
  t.equal((await ask(server, second.key)).status, 200)
  await postrieJson(dir, ['account', 'suspend', 'demo', '--reason', 'a test'])
  t.equal((await ask(server, second.key)).status, 401, 'suspended: refused on the next request')
  const [, { state }] = await postrieJson(dir, ['key', 'list', 'demo'])
  t.equal(state, 'refused: account suspended', 'in the words of the page')
  const show = ['account', 'show', 'demo']
  t.match(
    (await command(dir, show)).stdout,
    /state +suspended\n(.*\n)*state reason +a test\n(.*\n)*refusals counted +since 20.*\n(.*\n)*No request was refused since 20\d\d-[^.]* UTC\.\n$/,
  )
  await postrieJson(dir, ['account', 'resume', 'demo', '--reason', 'a test'])
  t.equal((await ask(server, second.key)).status, 200, 'resumed: answered again')
  t.equal((await ask(server, server.key)).status, 401, 'the revoked key is still refused')

  const post = (path: string, body: string) => raw(socketFile, path, body)
  t.match(await post('/operator/account.create', '{'), /400 .*parameters must be JSON/s)
  t.match(await post('/operator/account.create', '[]'), /400 .*must be a JSON object/s)
  t.match(await post('/operator/account.create', '{"mail":"x"}'), /400 .*unknown parameter 'mail'/s)
  t.match(await post('/operator/toString', '{}'), /404 .*unknown command/s)
  t.match(await post('/operator/account.create', `"${'x'.repeat(70_000)}"`), /400 .*exceed 65536 bytes/s)

  await t.rejects(startFakeServer(dir), new RegExp(`in use by process ${server.child.pid}`))
  t.equal((await fetch(`${server.dashboard}/healthz`)).status, 200, 'the second server is refused')
  const metrics = await (await fetch(`${server.dashboard}/metrics`)).text()
  t.match(metrics, /^postrie_charged_queries_total\{.*"lookup"\} 3$/m)
  t.match(metrics, /^postrie_revenue_\S+ 0\.000084$/m)

  t.equal(await server.stop('SIGTERM'), 0, 'it exits with 0 on SIGTERM')
  await t.rejects(stat(socketFile), 'the socket is removed')
  const killed = await start()
  t.equal(killed.key, '', 'a key is shown on the first start only')
  await killed.stop('SIGKILL')
  t.ok((await stat(socketFile)).isSocket(), 'the socket of a dead server is left')
  const accounts = [{ email: 'demo@localhost', spent: 0.000084 }, {}]
  t.match(await postrieJson(dir, ['account', 'list']), accounts, 'a command works')
  await start()
  t.match(await postrieJson(dir, ['account', 'list']), accounts, 'a new server replaces the socket')
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

async function checkEveryCommand(t: Test, dir: string) {
  const ada = await postrieJson(dir, ['account', 'create', 'ada@example.com'])
  t.same(Object.keys(ada), ['id', 'email', 'balance'])
  t.match(ada, { email: 'ada@example.com', balance: 0.028 })
  const credit = ['account', 'credit', 'ada@example.com', '5.00', '--reference', 'r1']
  t.match(await postrieJson(dir, credit), { credited: 5, applied: true, balance: 5.028 })

  const made = await postrieJson(dir, ['key', 'create', ada.id, '--label', 'test'])
  t.same(Object.keys(made), ['id', 'key'])
  t.match(made.key, /^pk_live_[0-9A-Za-z]{36}$/)
  t.match(await postrieJson(dir, ['key', 'rename', made.id, 'other']), { label: 'other', state: 'active' })
  t.match(await postrieJson(dir, ['key', 'cap', made.id, '2.5']), { cap: 2.5 })
  t.match(await postrieJson(dir, ['key', 'cap', made.id]), { cap: 2.5 }, 'it is shown')
  t.match(await postrieJson(dir, ['key', 'cap', made.key.slice(0, 12)]), { id: made.id }, 'by its start')
  t.match(await command(dir, ['key', 'cap', 'pk_live_none']), { code: 1, stderr: /no single one has/ })
  const comma = { code: 2, stderr: /a point instead of the comma: 12\.50/ }
  t.match(await command(dir, ['key', 'cap', made.id, '12,50']), comma)
  for (const name of [made.id, made.key.slice(0, 12)])
    t.match(await postrieJson(dir, ['key', 'show', name]), {
      ...{ id: made.id, cap: 2.5, rateLimits: null },
      ...{ account: ada.id, email: 'ada@example.com' },
    })
  const state = async (to: string) => (await postrieJson(dir, ['key', to, made.id])).state
  t.same([await state('off'), await state('on')], ['off', 'active'])
  const rules = ['key', 'rules', made.id]
  const wanted =
    '--expires 2099-01-31 --per-day 9 --endpoints lookup,metazip,validate-bulk --addresses ::1,10.1.2.3/8'
  t.match(await postrieJson(dir, [...rules, ...wanted.split(' ')]), {
    state: 'active',
    expiresAt: '2099-01-31T00:00:00.000Z',
    rateLimits: { perMinute: null, perHour: null, perDay: 9 },
    endpoints: ['lookup', 'metacode', 'validate-bulk'],
    addresses: ['::1', '10.0.0.0/8'],
  })
  t.match(
    (await command(dir, [...rules, '--per-day', 'none', '--endpoints', 'none', '--per-hour', '5'])).stdout,
    /expires at +2099-01-31 00:00:00\nrate limits +per hour 5\nendpoints +all\n/,
  )
  t.match(await postrieJson(dir, [...rules, '--expires', '2099-01-31 10:00', '--per-day', '1,000']), {
    expiresAt: '2099-01-31T10:00:00.000Z',
    rateLimits: { perDay: 1000 },
  })
  t.match(await postrieJson(dir, [...rules, '--expires', 'none', '--per-hour', 'off']), { expiresAt: null })
  const noRules = { expiresAt: null, rateLimits: null, endpoints: null, addresses: null }
  t.match(
    await postrieJson(dir, [...rules, '--endpoints', 'none', '--per-day', 'none', '--addresses', 'none']),
    noRules,
  )
  for (const option of ['--expires', '--per-day', '--endpoints', '--addresses'])
    t.match(await command(dir, [...rules, option, '']), { code: 2 }, `an empty ${option} removes nothing`)
  t.match(await command(dir, [...rules, '--expires', '2099-02-30']), { stderr: /must be a time such as/ })
  const many = await command(dir, [...rules, '--per-minute', 'many'])
  t.match(many.stderr, /^postrie: --per-minute must be a whole number from 1 to/)
  t.match(await command(dir, [...rules, '--addresses', 'x.com']), { stderr: /"x\.com" must be an address/ })
  t.match(await command(dir, [...rules, '--expires', '2020-01-01']), { stderr: /a time in the future/ })
  t.match(await postrieJson(dir, ['key', 'cap', made.id, 'none']), { cap: null })
  const rolled = await postrieJson(dir, ['key', 'roll', made.id, '--overlap', '7d'])
  t.same(Object.keys(rolled), ['id', 'label', 'email', 'key', 'earlier'])
  t.match(rolled, {
    id: made.id,
    key: /^pk_live_[0-9A-Za-z]{36}$/,
    earlier: { start: made.key.slice(0, 12) },
  })
  t.match(
    (await command(dir, ['key', 'roll', made.id, '--overlap', '0'])).stdout,
    /^id .*\nlabel +other\nemail +ada@example\.com\nkey +pk_live_\w{36}\nCopy the key now: .* The earlier one is refused\.\n$/,
  )
  const leaked = made.key.slice(0, 12)
  t.match(await postrieJson(dir, ['key', 'show', leaked]), { id: made.id, replaced: [String, leaked] })
  const byLeaked = { code: 1, stderr: RegExp(`replaced secret of the key ${made.id}`) }
  t.match(
    await command(dir, ['key', 'off', leaked]),
    byLeaked,
    'a secret that works is not switched off by it',
  )
  t.match(await command(dir, ['ledger', 'show', '--key', leaked]), { code: 0, stdout: /roll / })
  const roll = ['key', 'roll', made.id]
  const [first, second] = [await postrieJson(dir, roll), await command(dir, roll)]
  const start = first.key.slice(0, 12)
  t.match(
    second.stdout,
    RegExp(
      `again\\. pk_live_\\w{4}… is refused now\\.\n${start}… works until 20.* UTC\\. To refuse it now: ${['postrie', ...roll].join(' ')} --end-overlap\n$`,
    ),
  )
  t.match(await postrieJson(dir, ['key', 'revoke', made.id]), { state: 'revoked' })
  const again = await command(dir, ['key', 'revoke', made.id])
  t.match(again.stdout, /\nIt was already revoked: nothing was changed\.\n$/)
  t.match(await postrieJson(dir, ['key', 'list', ada.id]), [{ id: made.id, state: 'revoked', queries: 0 }])

  const limits = ['account', 'limits', ada.id]
  t.match(await postrieJson(dir, [...limits, '--per-minute', '3', '--per-day', '9']), {
    rateLimits: { perMinute: 3, perHour: null, perDay: 9 },
  })
  t.match(await postrieJson(dir, [...limits, '--per-minute', 'none', '--per-day', 'off']), {
    rateLimits: null,
  })
  t.match(await postrieJson(dir, ['account', 'threshold', ada.id, '2']), { threshold: 2 })
  t.match(await postrieJson(dir, ['account', 'threshold', ada.id]), { threshold: 2 }, 'it is shown')
  t.match(await postrieJson(dir, ['account', 'threshold', ada.id, 'none']), { threshold: null })
  const csv = await command(dir, ['account', 'statement', ada.id, '--csv'])
  t.match(csv.stdout, /^time,kind,amount_usd,.*\r\n.*,0\.028000,.*\r\n.*,5\.000000,5\.028000,/)

  const members = ['account', 'members']
  t.match(await postrieJson(dir, [...members, 'list', ada.id]), { account: ada.id, members: [] })
  const unknown = await command(dir, [...members, 'add', ada.id, 'bob@example.com', '--role', 'billing'])
  t.equal(unknown.code, 1)
  t.match(unknown.stderr, /^postrie: nobody has signed in with the confirmed address 'bob@example\.com'/)

  const standing = (verb: string, ...flags: string[]) =>
    postrieJson(dir, ['account', verb, ada.id, '--reason', 'asked for by phone', ...flags])
  t.match(await standing('suspend'), { state: 'suspended', reason: 'asked for by phone', balance: 5.028 })
  t.match(
    (await command(dir, ['account', 'search', 'ADA@', '--state', 'suspended', '--order', 'spent'])).stdout,
    /^ID.*\n(.*\n)*.*ada@example\.com +suspended.*\n1 account, page 1 of 1\.\n$/,
  )
  t.match(
    (await command(dir, ['account', 'search', made.id])).stdout,
    /FOUND\n.* other \(pk_live_\w{4}…\)\n1 account, page 1 of 1\./,
  )
  t.match(await postrieJson(dir, ['account', 'search', 'r1']), {
    accounts: [{ found: [/^r1: \$5\.00 at 20/] }],
  })
  t.match((await command(dir, ['account', 'search', 'r9'])).stdout, 'reference must be complete')
  t.match(await command(dir, ['account', 'search', 'ada@', '--page', '9']), {
    code: 1,
    stderr: /^postrie: there is no page 9: the last one is 1\n$/,
  })
  t.match(await standing('resume'), { state: 'active', reason: null })
  t.match(
    (await command(dir, ['account', 'list'])).stdout,
    /EMAIL.*\n(.*\n)*.*ada@example\.com +active +\$5\.028 +\$0\.00/,
  )
  const close = ['account', 'close', ada.id, '--reason', 'x']
  t.match(await command(dir, close), { code: 1, stderr: /balance of \$5\.028 would be forfeited.*--confirm/ })
  t.match(await standing('close', '--confirm'), { state: 'closed', balance: 0, taken: 5.028 })
  t.match(await command(dir, close), { stdout: /\nIt was already closed: nothing was changed\.\n$/ })
  t.match(await command(dir, [...credit.slice(0, -1), 'r2']), {
    code: 1,
    stderr: /is closed, which is final/,
  })
}

t.test('a folder in the place of the socket is refused with a remedy', async t => {
  const dir = t.testdir({ 'control.sock': {} })
  await t.rejects(startFakeServer(dir), /control\.sock: .*move it away, then restart/)
})
