/** Commands refuse a schema of another version, and say what they found, what they need, and what to do. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { newNode, nodeFolder, writeNodeFile } from '../../src/fleet/node-folder.ts'
import { openPostgresStore } from '../../src/fleet/postgres-store.ts'
import { Ledger } from '../../src/ledger/ledger.ts'
import { QUERY_PRICE_MICROS } from '../../src/money.ts'
import { freshSchema, sharedPostgres, stopSharedPostgres } from '../support/postgres.ts'
import { postrie } from '../support/processes.ts'

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
  ['migrate', 'ledger-to-postgres'],
]

t.test('commands refuse a schema of another version', async t => {
  const schema = freshSchema()
  const server = await sharedPostgres()
  await (await openPostgresStore(server.url, { schema })).close()
  await server.query(`update ${schema}.schema_version set version = 2`)
  const dirs = t.testdir()
  const run = async (command: string[], at: number) => {
    const dir = join(dirs, `${at}`)
    await emptyNode(dir)
    const args = command.map(word => (word === '<folder>' ? nodeFolder(dir) : word))
    const { code, stderr } = await postrie(dir, args, { ACCOUNTS: `${server.url}?schema=${schema}` })
    t.not(code, 0, args.join(' '))
    t.match(
      stderr,
      /has version 2 of a fleet, .* needs version 1\. Start the version .* or name another schema/,
    )
  }
  await Promise.all(COMMANDS.map(run))
})

t.test('a command that looks at a fleet makes no tables where there are none', async t => {
  const schema = freshSchema()
  const server = await sharedPostgres()
  const { code, stderr } = await postrie(t.testdir(), ['fleet', 'status'], {
    ACCOUNTS: `${server.url}?schema=${schema}`,
  })
  t.not(code, 0)
  t.match(stderr, /no tables of a fleet, and this command makes none.*start a node/)
  t.equal((await server.query(`select from pg_namespace where nspname = '${schema}'`)).length, 0)
})

t.test('a command without DATA_DIR makes no node of its default folder', async t => {
  const env = { ACCOUNTS: (await sharedPostgres()).url, DATA_DIR: undefined }
  const { code, stderr } = await postrie(t.testdir(), ['account', 'list'], env)
  t.not(code, 0)
  t.match(stderr, /DATA_DIR is not set, and .* is not the folder of a node: set DATA_DIR/)
})

/** A DATA_DIR whose node has charged nothing, and a ledger without accounts. */
async function emptyNode(dir: string): Promise<void> {
  mkdirSync(dir)
  for (const folder of [dir, nodeFolder(dir)])
    await (await Ledger.open({ dir: folder, priceMicros: QUERY_PRICE_MICROS, onFail() {} })).close()
  await writeNodeFile(nodeFolder(dir), newNode())
}
