import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readNodeFile } from '../../../src/billing/fleet/node-folder.ts'
import { openStoreFile } from '../../../src/console/store/store-file.ts'
import { Browser } from '../../support/dashboard.ts'
import { startHook } from '../../support/hook.ts'
import { TestPostgres } from '../../support/postgres.ts'
import { command, postrieJson, startFakeServer, type TestServer } from '../../support/processes.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

t.setTimeout(120_000)

function readAuditLog(dir: string): string {
  const folder = join(dir, 'audit')
  return readdirSync(folder)
    .map(name => readFileSync(join(folder, name), 'utf8'))
    .join('')
}

t.test('one node of three has the dashboard, its alerts and its messages', async t => {
  const postgres = await TestPostgres.start()
  t.teardown(() => postgres.stop())
  const hook = await startHook(t)
  const env = {
    ACCOUNTS: postgres.url,
    LOW_BALANCE_WEBHOOK_URL: hook.url,
    LOW_BALANCE_WEBHOOK_SECRET: 'hush',
    OPERATORS: 'ops@example.com',
  }
  const start = async (dir: string): Promise<TestServer> => {
    const server = await startFakeServer(dir, env)
    t.teardown(() => server.stop('SIGKILL'))
    return server
  }
  const dirs = Array.from({ length: 3 }, () => temporaryFolder(t))
  // These files are older than the database's rows.
  const { file } = await openStoreFile(join(dirs[0], 'alerts.jsonl'), '')
  await file.append(Buffer.from('["acct_1",{"email":[],"webhook":null}]\n'))
  const first = await start(dirs[0])
  const [second, third] = await Promise.all(dirs.slice(1).map(start))
  const ids = await Promise.all(dirs.map(async dir => (await readNodeFile(join(dir, 'node')))?.node ?? ''))
  const at = ({ dashboard }: TestServer, path: string) => fetch(dashboard + path, { redirect: 'manual' })
  const run = (dir: string, ...args: string[]) => command(dir, args, env)

  t.equal((await at(first, '/sign-in')).status, 200)
  for (const server of [second, third]) {
    const answer = await at(server, '/sign-in')
    t.equal(answer.status, 503, 'a balancer goes on to the next node')
    t.ok((await answer.text()).includes(ids[0]), 'it says where the dashboard is')
    t.equal((await at(server, '/metrics')).status, 200)
    t.equal((await at(server, '/healthz')).status, 200)
  }
  const operator = new Browser(first.dashboard)
  await operator.signIn('ops@example.com')
  const page = await operator.read('/operator/service')
  for (const id of ids) t.match(page, new RegExp(`${id.slice(0, 8)}.*serving`, 's'))
  const status = await run(dirs[1], 'fleet', 'status')
  t.ok(status.stdout.includes(`dashboard at node ${ids[0]}`))

  // The command runs on another node. The node with the dashboard sends the message, once.
  t.match(await run(dirs[1], 'account', 'create', 'ada@example.com'), { code: 0 })
  t.match(await run(dirs[1], 'account', 'threshold', 'ada@example.com', '10'), { code: 0 })
  await until(() => hook.messages.length > 0)
  t.match(await run(dirs[2], 'account', 'create', 'bob@example.com'), { code: 0 })
  t.match(await run(dirs[2], 'account', 'threshold', 'bob@example.com', '10'), { code: 0 })
  await until(() => hook.messages.some(({ body }) => body.includes('bob@example.com')))
  t.equal(hook.messages.length, 2)

  const [bob] = (await postrieJson(dirs[2], ['account', 'search', 'bob@example.com'], env)).accounts
  await until(() => readAuditLog(dirs[0]).includes(bob.id))
  t.ok(readAuditLog(dirs[2]).includes(bob.id), 'the node of the command has it as well')
  t.notOk(readAuditLog(dirs[1]).includes(bob.id))

  const refused = await run(dirs[1], 'fleet', 'dashboard', ids[1])
  t.not(refused.code, 0)
  t.match(refused.stderr, /has the dashboard and was heard of \d+ s ago: stop it/)
  t.equal(await first.stop(), 0)
  await postgres.query('update postrie.node set seen_ms = seen_ms - 60000 where id = $1', [ids[0]])
  t.match(await run(dirs[1], 'fleet', 'dashboard', ids[1]), { code: 0 })
  t.equal(await second.stop(), 0)
  t.equal((await at(await start(dirs[1]), '/sign-in')).status, 200)
  t.equal((await at(await start(dirs[0]), '/sign-in')).status, 503, 'the former node starts without it')
  await until(() => readAuditLog(dirs[1]).includes(bob.id))
  const rows = await postgres.query('select name, key from postrie.dashboard_row')
  t.match(rows, [{ name: 'alerts', key: 'acct_1' }], 'its choices of alerts are in the database')
  t.notOk(
    dirs.some(dir => existsSync(join(dir, 'alerts.jsonl'))),
    'no folder has them',
  )
  t.ok(existsSync(join(dirs[0], 'alerts.jsonl.carried')), 'nothing is deleted')
  t.pass('the new one has what was done on all nodes before')
})
