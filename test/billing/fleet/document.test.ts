/** Runs the commands of docs/fleet.md in order on a real PostgreSQL. Each section has its own shell. */
import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import t from 'tap'
import { writeIndex } from '../../support/fixture-index.ts'
import { TestPostgres } from '../../support/postgres.ts'
import {
  commandIn,
  type Finished,
  finished,
  postrieJson,
  startServer,
  type TestServer,
} from '../../support/processes.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const DOCUMENT = readFileSync(join(ROOT, 'docs/fleet.md'), 'utf8')
const BLOCK = /^ *```sh\n([\s\S]*?)^ *```/gm
const DATABASE = 'postgres://postrie:secret@127.0.0.1:5432/postrie'

t.setTimeout(120_000)

const postgres = await TestPostgres.start()
t.teardown(() => postgres.stop())

t.test('every command of docs/fleet.md succeeds', async t => {
  const folder = t.testdir({ bin: {}, own: {}, index: {} })
  const path = commandIn(join(folder, 'bin'))
  const own = { DATA_DIR: join(folder, 'own'), INDEX_FILE: writeIndex(join(folder, 'index')) }
  const servers: TestServer[] = []
  t.teardown(async () => {
    for (const server of servers) await server.stop('SIGKILL')
  })
  // The only node of the section on moving.
  await postrieJson(own.DATA_DIR, ['account', 'create', 'grace@example.com'])

  let commands = 0
  for (const section of DOCUMENT.split(/^## /m)) {
    const blocks = Array.from(section.matchAll(BLOCK), match => match[1])
    const env: NodeJS.ProcessEnv = { ...own, PATH: path }
    // The section on losing nodes uses settings of earlier sections.
    if (!section.includes('export ACCOUNTS')) env.ACCOUNTS = postgres.url
    for (const line of blocks.flatMap(block => block.trim().split('\n'))) {
      const command = line
        .trim()
        .replaceAll(DATABASE, postgres.url)
        .replaceAll('/var/lib/', `${folder}/`)
        .replaceAll('/mnt/', `${folder}/`)
      commands++
      const set = /^export ACCOUNTS='?([^']+)'?$/.exec(command)
      if (set !== null) env.ACCOUNTS = set[1]
      else if (command.endsWith('postrie serve')) servers.push(await serve(command, env))
      else {
        await prepare(command)
        const { code, stdout, stderr } = await run(command, env)
        t.equal(code, 0, `${line}: ${stdout}${stderr}`)
        t.not(stdout + stderr, '', 'it says something')
        if (command.includes('account list')) t.match(stdout, /grace@example\.com/)
      }
    }
  }
  t.ok(commands > 14)

  /** Creates the situation that the text around a command describes. */
  async function prepare(command: string): Promise<void> {
    const quiet = (schema: string, ms: number) =>
      postgres.query(`update ${schema}.node set seen_ms = seen_ms - ${ms}`)
    if (command.includes('node recover')) {
      // The machine is gone, and its disk is in another one.
      await servers[1].stop('SIGKILL')
      mkdirSync(join(folder, 'old-disk'))
      await run(`cp -r ${folder}/postrie-2 ${folder}/old-disk/postrie`, { PATH: process.env.PATH })
    }
    if (command.includes('write-off')) {
      const [, node] = /write-off (\S+)/.exec(command) ?? []
      await servers[0].stop('SIGKILL')
      await postgres.query(
        'update postrie.node set id = $1 where id = (select min(id::text)::uuid from postrie.node)',
        [node],
      )
      await quiet('postrie', 25 * 3_600_000)
    }
  }
})

t.test('the query on the page finds an open transaction', async t => {
  const left = new pg.Client({ connectionString: postgres.url })
  await left.connect()
  t.teardown(() => left.end())
  await left.query('begin')
  const { rows } = await left.query<{ pid: number }>('select pg_backend_pid() as pid')
  const [, sql = ''] = /^```sql\n([\s\S]*?)^```/m.exec(DOCUMENT) ?? []
  const found = await postgres.query(sql)
  const pids = found.map(({ pid }) => pid)
  t.same(pids, [rows[0].pid])
})

/** Starts a server on free ports, with the DATA_DIR of the command. */
async function serve(command: string, env: NodeJS.ProcessEnv): Promise<TestServer> {
  const [, dir = ''] = /DATA_DIR=(\S+)/.exec(command) ?? []
  const { ACCOUNTS, INDEX_FILE } = env
  return startServer(dir, { ACCOUNTS, INDEX_FILE, HTTP_THREADS: '1', BULK_WORKERS: '0', LOG_LEVEL: 'warn' })
}

/** `spawnSync` would block the reader of the servers' output. */
function run(command: string, env: NodeJS.ProcessEnv): Promise<Finished> {
  return finished(spawn('bash', ['-euo', 'pipefail', '-c', command], { env, stdio: 'pipe' }))
}
