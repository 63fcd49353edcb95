/** One suite of commands, run twice: on the ledger itself, and through the socket of a running server. */

import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { socketPath } from '../../src/control/socket-path.ts'
import { postrie, postrieJson, startFakeServer, type TestServer } from '../support/processes.ts'

async function suite(t: Test, dir: string) {
  const ada = await postrieJson(dir, ['account', 'create', 'ada@example.com'])
  t.same(Object.keys(ada), ['id', 'email', 'balance'])
  t.match(ada, { email: 'ada@example.com', balance: 0.028 })

  const credit = ['account', 'credit', 'ada@example.com', '5.00', '--reference', 'r1']
  t.match(await postrieJson(dir, credit), { credited: 5, applied: true, balance: 5.028 })
  t.match(await postrieJson(dir, credit), { applied: false, balance: 5.028 }, 'once per reference')
  const other = await postrie(dir, ['account', 'credit', ada.id, '6', '--reference', 'r1'])
  t.equal(other.code, 1)
  t.match(other.stderr, /^postrie: /)

  const made = await postrieJson(dir, ['key', 'create', ada.id, '--label', 'test'])
  t.same(Object.keys(made), ['id', 'key'])
  t.match(made.key, /^pk_live_[0-9A-Za-z]{36}$/)
  t.match(await postrieJson(dir, ['key', 'rename', made.id, 'other']), { label: 'other', active: true })
  t.match(await postrieJson(dir, ['key', 'cap', made.id, '2.5']), { cap: 2.5 })
  t.match(await postrieJson(dir, ['key', 'cap', made.id, '--off']), { cap: null })
  t.match(await postrieJson(dir, ['key', 'revoke', made.id]), { active: false })
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
  t.match((await postrie(dir, ['account', 'list'])).stdout, /EMAIL.*\n(.*\n)*.*ada@example\.com +\$5\.028/)

  t.test('exit codes', async t => {
    const expected: [number, string[], string][] = [
      [1, ['account', 'credit', 'nobody@example.com', '5', '--reference', 'x'], 'unknown account'],
      [1, ['key', 'revoke', 'nonsense'], 'unknown key'],
      [2, ['account', 'credit', ada.id, '5.0000001', '--reference', 'x'], 'no fraction of a micro-dollar'],
      [2, ['account', 'credit', ada.id, '5'], 'missing option'],
      [2, ['account', 'limits', ada.id, '--per-day', '0'], 'out of range'],
      [2, ['account', 'create', 'not an email'], 'not an email'],
      [2, ['nonsense'], 'unknown command'],
      [0, ['--version'], 'version'],
    ]
    for (const [code, args, name] of expected) t.equal((await postrie(dir, args)).code, code, name)
  })
}

t.test('while no server runs', async t => {
  const dir = t.testdir()
  await suite(t, dir)
  const busy = await Promise.all(
    [1, 2, 3].map(n => postrieJson(dir, ['account', 'create', `c${n}@example.com`])),
  )
  t.equal(new Set(busy.map(account => account.id)).size, 3, 'commands at the same time wait for each other')
})

t.test('while a server runs', async t => {
  const dir = t.testdir()
  const server = await startFakeServer(dir)
  t.teardown(() => server.child.kill('SIGKILL'))
  t.match(server.key, /^pk_live_/, 'the first start shows a key')
  t.equal((await stat(join(dir, 'control.sock'))).mode & 0o777, 0o600)
  await suite(t, dir)
  t.match(await postrieJson(dir, ['key', 'list', 'demo']), [{ active: true }], 'demo names the first account')

  t.equal((await ask(server, server.key)).status, 200)
  const [demoKey] = await postrieJson(dir, ['key', 'list', 'demo'])
  await postrieJson(dir, ['key', 'revoke', demoKey.id])
  t.equal((await ask(server, server.key)).status, 401, 'revoked on the next request')

  t.equal((await fetch(`${server.dashboard}/healthz`)).status, 200)
  t.match(await (await fetch(`${server.dashboard}/metrics`)).text(), /^# HELP /)

  t.equal(await server.stop('SIGTERM'), 0, 'a signal ends it in order')
  await t.rejects(stat(join(dir, 'control.sock')), 'and the socket is gone')
  t.match(await postrieJson(dir, ['account', 'list']), [{ email: 'demo@localhost', spent: 0.000028 }, {}])
})

t.test('a second server on the same folder is refused', async t => {
  const dir = t.testdir()
  const server = await startFakeServer(dir)
  t.teardown(() => server.child.kill('SIGKILL'))
  await t.rejects(startFakeServer(dir), /ended with/)
  t.equal((await fetch(`${server.dashboard}/healthz`)).status, 200, 'and the first one does not notice')
})

t.test('the socket of a dead server is no obstacle', async t => {
  const dir = t.testdir()
  const first = await startFakeServer(dir)
  await first.stop('SIGKILL')
  t.ok((await stat(join(dir, 'control.sock'))).isSocket(), 'it is left behind')
  t.match(
    await postrieJson(dir, ['account', 'list']),
    [{ email: 'demo@localhost' }],
    'a command goes around it',
  )
  const second = await startFakeServer(dir)
  t.teardown(() => second.child.kill('SIGKILL'))
  t.equal(second.key, '', 'a key is shown on the first start only')
  t.match(await postrieJson(dir, ['account', 'list']), [{ email: 'demo@localhost' }], 'a server replaces it')
})

t.test('the socket refuses what is no operation', async t => {
  const dir = t.testdir()
  const server = await startFakeServer(dir)
  t.teardown(() => server.child.kill('SIGKILL'))
  const post = (path: string, body: string) => raw(join(dir, 'control.sock'), path, body)
  t.match(await post('/operator/account.create', '{'), /400 .*parameters must be JSON/s)
  t.match(await post('/operator/account.create', '[]'), /400 .*must be a JSON object/s)
  t.match(await post('/operator/account.create', '{"mail":"x"}'), /400 .*unknown parameter 'mail'/s)
  t.match(await post('/operator/toString', '{}'), /404 .*no operation/s)
  t.match(await post('/operator/account.create', `"${'x'.repeat(70_000)}"`), /400 .*exceed 65536 bytes/s)
})

t.test('wrong settings end a command with 2 and name every one', async t => {
  const { code, stderr } = await postrie(t.testdir(), ['account', 'list'], { PORT: 'x', LOG_LEVEL: 'y' })
  t.equal(code, 2)
  t.match(stderr, /PORT: .*\n.*LOG_LEVEL: /)
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
