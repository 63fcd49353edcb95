/** Commands next to a running server: each goes through its socket. */
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { socketPath } from '../../src/control/operator/socket-path.ts'
import { postrieJson, startFakeServer, type TestServer } from '../support/processes.ts'
import { everyCommand } from './commands.ts'

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
  await t.rejects(startFakeServer(dir), /ended with/)
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
  t.match(await post('/operator/toString', '{}'), /404 .*unknown operation/s)
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
