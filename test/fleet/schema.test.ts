/** Commands on a database without a fleet, and without a node of their own, make neither. */
import t from 'tap'
import { freshSchema, sharedPostgres, stopSharedPostgres } from '../support/postgres.ts'
import { postrie } from '../support/processes.ts'

t.setTimeout(120_000)
t.teardown(stopSharedPostgres)

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
