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

/** Everything that the command line does with a database, but for serving. A command on accounts is a node for a moment. */
const COMMANDS = [
  ['fleet', 'status'],
  ['fleet', 'write-off', NODE],
  ['fleet', 'dashboard', NODE],
  ['node', 'recover', '<folder>'],
  ['account', 'list'],
  ['migrate', 'postgres-to-ledger'],
  ['migrate', 'ledger-to-postgres'],
]

t.test('a command of a newer version leaves the schema as it is', async t => {
  const schema = await schemaChangedBy(`delete from migration where number = ${NEWEST}`)
  const before = await versions(schema)
  const dirs = t.testdir()
  const run = async (command: string[], at: number) => {
    const dir = join(dirs, `${at}`)
    await emptyNode(dir)
    const args = command.map(word => (word === '<folder>' ? nodeFolder(dir) : word))
    const { code, stderr } = await postrie(dir, args, await accountsIn(schema))
    t.not(code, 0, args.join(' '))
    const found = `version ${NEWEST - 1}, and this version of postrie needs version ${NEWEST}`
    t.ok(stderr.includes(found), 'says what it found, and expected')
    t.match(
      stderr,
      /the version of postrie that the nodes run,.*or start a node of this version/,
      'and what to do',
    )
  }
  await Promise.all(COMMANDS.map(run))
  t.same(await versions(schema), before)
})

t.test('a command of an older version says which one is needed', async t => {
  const schema = await schemaChangedBy(`insert into migration (number, name) values (${NEWEST + 1}, 'later')`)
  const { code, stderr } = await postrie(t.testdir(), ['fleet', 'status'], await accountsIn(schema))
  t.not(code, 0)
  t.match(stderr, new RegExp(`version ${NEWEST + 1}, and .* up to ${NEWEST}\\. Start the newer version`))
})

t.test('a command that looks at a fleet makes no tables where there are none', async t => {
  const schema = freshSchema()
  const { code, stderr } = await postrie(t.testdir(), ['fleet', 'status'], await accountsIn(schema))
  t.not(code, 0)
  t.match(stderr, /no tables of a fleet, and this command makes none.*start a node/)
  t.equal((await query('public', `select from pg_namespace where nspname = '${schema}'`)).length, 0)
})

/** A schema of this version, and what a test makes of its migrations. */
async function schemaChangedBy(change: string): Promise<string> {
  const schema = freshSchema()
  await (await openPostgresStore((await sharedPostgres()).url, { schema })).close()
  await query(schema, change)
  return schema
}

async function accountsIn(schema: string): Promise<NodeJS.ProcessEnv> {
  return { ACCOUNTS: `${(await sharedPostgres()).url}?schema=${schema}` }
}

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
