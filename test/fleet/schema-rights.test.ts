/** Only a server upgrades the schema of a fleet. Commands of another version say what they found, and change nothing. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { migrations } from '../../src/fleet/database-migrations.ts'
import { newNode, nodeFolder, writeNodeFile } from '../../src/fleet/node-file.ts'
import { openPostgresStore } from '../../src/fleet/postgres-store.ts'
import { Ledger } from '../../src/ledger/ledger.ts'
import { QUERY_PRICE_MICROS } from '../../src/limits.ts'
import { freshSchema, sharedPostgres, stopSharedPostgres } from '../support/postgres.ts'
import { postrie } from '../support/processes.ts'

const NEWEST = migrations().at(-1)?.number ?? 0
const NODE = '5f9a785a-24f6-46ed-92cf-c843e81a925b'

t.setTimeout(120_000)
t.teardown(stopSharedPostgres)

/** Everything that the command line does with a database, but for serving. */
function commands(dir: string): string[][] {
  return [
    ['fleet', 'status'],
    ['fleet', 'write-off', NODE],
    ['fleet', 'dashboard', NODE],
    ['node', 'recover', nodeFolder(dir)],
    ['account', 'list'],
    ['account', 'create', 'ada@example.com'],
    ['migrate', 'postgres-to-ledger'],
    ['migrate', 'ledger-to-postgres'],
  ]
}

for (const [found, change] of [
  [NEWEST - 1, `delete from migration where number = ${NEWEST}`],
  [NEWEST + 1, `insert into migration (number, name) values (${NEWEST + 1}, 'later')`],
] as const) {
  t.test(
    `a command leaves a schema of version ${found - NEWEST < 0 ? 'before' : 'after'} its own as it is`,
    async t => {
      const { url } = await sharedPostgres()
      const schema = freshSchema()
      await (await openPostgresStore(url, { schema })).close()
      await query(schema, change)
      const before = await versions(schema)
      const dirs = t.testdir()
      const results = await Promise.all(
        commands('').map(async (_, at) => {
          const dir = join(dirs, `${at}`)
          await emptyNode(dir)
          const args = commands(dir)[at]
          return { args, ...(await postrie(dir, args, { ACCOUNTS: `${url}?schema=${schema}` })) }
        }),
      )
      for (const { args, code, stderr } of results) {
        t.not(code, 0, args.join(' '))
        t.match(
          stderr,
          new RegExp(`version ${found}, and this version .*${NEWEST}`),
          'says what it found, and expected',
        )
        t.match(
          stderr,
          /the version of postrie that the nodes run|Start the newer version of postrie/,
          'and what to do',
        )
      }
      t.same(await versions(schema), before)
    },
  )
}

t.test('a command that looks at a fleet makes no tables where there are none', async t => {
  const { url } = await sharedPostgres()
  const schema = freshSchema()
  const dir = t.testdir()
  const { code, stderr } = await postrie(dir, ['fleet', 'status'], { ACCOUNTS: `${url}?schema=${schema}` })
  t.not(code, 0)
  t.match(stderr, /no tables of a fleet, and this command makes none.*start a node/)
  t.equal((await query('public', `select from pg_namespace where nspname = '${schema}'`)).length, 0)
})

/** A DATA_DIR whose node has charged nothing, and a ledger without accounts. */
async function emptyNode(dir: string): Promise<void> {
  mkdirSync(dir)
  for (const folder of [dir, nodeFolder(dir)])
    await (await Ledger.open({ dir: folder, priceMicros: QUERY_PRICE_MICROS, onFail() {} })).close()
  await writeNodeFile(nodeFolder(dir), newNode())
}

async function versions(schema: string): Promise<unknown[]> {
  return query(schema, 'select number, applied from migration order by number')
}

async function query(schema: string, text: string): Promise<Record<string, unknown>[]> {
  const server = await sharedPostgres()
  return server.query(text.replace('migration', `${schema}.migration`))
}
