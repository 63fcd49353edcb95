import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { postrieJson, startFakeServer } from '../../support/processes.ts'
import { until } from '../../support/until.ts'

const FAKE_SERVER = fileURLToPath(new URL('../../support/fake-server.js', import.meta.url))

t.test('a server whose output cannot be written serves', async t => {
  const dir = t.testdir()
  const full = openSync('/dev/full', 'w')
  const env = { PATH: process.env.PATH, DATA_DIR: dir, PORT: '0', CONTROL_PORT: '0', LOG_LEVEL: 'trace' }
  const child = spawn(process.execPath, [FAKE_SERVER], { env, stdio: ['ignore', full, full] })
  const exited = once(child, 'exit')
  // A start opens the operator's socket last.
  await until(() => existsSync(join(dir, 'control.sock')))
  t.match(await postrieJson(dir, ['account', 'create', 'ada@example.com']), { balance: 0.028 })
  child.kill('SIGTERM')
  t.same(await exited, [0, null], 'it ends cleanly')
})

t.test('a server goes on after the reader of its output has gone', async t => {
  const dir = t.testdir()
  const server = await startFakeServer(dir, { LOG_LEVEL: 'trace' })
  server.child.stdout?.destroy()
  server.child.stderr?.destroy()
  t.match(await postrieJson(dir, ['account', 'create', 'ada@example.com']), { balance: 0.028 })
  t.equal((await fetch(`${server.dashboard}/healthz`)).status, 200)
  server.child.kill('SIGTERM')
  t.same(await once(server.child, 'exit'), [0, null])
})
