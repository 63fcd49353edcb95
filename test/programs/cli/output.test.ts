import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { createDemoAccount } from '../../../src/billing/demo-account.ts'
import { openAccounts } from '../../support/accounts.ts'
import { postrieJson, startFakeServer } from '../../support/processes.ts'
import { until } from '../../support/until.ts'

const FAKE_SERVER = fileURLToPath(new URL('../../support/fake-server.js', import.meta.url))

t.test('a server whose output cannot be written serves and shows the key later', async t => {
  const dir = t.testdir()
  const full = openSync('/dev/full', 'w')
  const env = { PATH: process.env.PATH, DATA_DIR: dir, PORT: '0', CONTROL_PORT: '0', LOG_LEVEL: 'trace' }
  const child = spawn(process.execPath, [FAKE_SERVER], { env, stdio: ['ignore', full, full] })
  const exited = once(child, 'exit')
  // A start opens the operator's socket last.
  await until(() => existsSync(join(dir, 'control.sock')))
  const [unseen] = await postrieJson(dir, ['key', 'list', 'demo'])
  t.match(await postrieJson(dir, ['account', 'create', 'ada@example.com']), { balance: 0.028 })
  child.kill('SIGTERM')
  t.same(await exited, [0, null], 'it ends cleanly')

  const server = await startFakeServer(dir)
  t.match(server.key, /^pk_live_/, 'the next start shows a key')
  t.match(await postrieJson(dir, ['key', 'list', 'demo']), [
    { id: unseen.id, active: false },
    { active: true, label: 'first start' },
  ])
  await server.stop()
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

t.test('a first start that died before it created the key creates one later', async t => {
  const dir = t.testdir()
  const accounts = await openAccounts({ dir })
  await accounts.createAccount({ email: 'demo@localhost' })
  const first = await createDemoAccount(accounts, { inFleet: false })
  t.match(first, { key: /^pk_live_/ })
  await first?.shown()
  const [key] = accounts.listKeys('demo@localhost')
  await accounts.revokeKey(key?.id ?? '')
  t.equal(await createDemoAccount(accounts, { inFleet: false }), null, 'a revoked key is not replaced')
  const { id } = await accounts.createKey('demo@localhost', { label: 'first start, not yet shown' })
  t.equal(await createDemoAccount(accounts, { inFleet: false }), null)
  t.match(accounts.key(id), { revokedMs: null }, 'no label makes a key one of a start')
  await accounts.close()
})
