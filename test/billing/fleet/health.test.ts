import { copyFileSync, renameSync } from 'node:fs'
import t from 'tap'
import { DEFAULT_INDEX } from '../../support/default-index.ts'
import { writeIndex } from '../../support/fixture-index.ts'
import { post, readMetric } from '../../support/post.ts'
import { until } from '../../support/until.ts'
import { Fleet } from './fleet.ts'

t.setTimeout(120_000)

const fleet = await Fleet.start(t, 2)

t.test('metrics report a silent node that had money and the dashboard', async t => {
  const [first, second] = fleet.nodes
  const { id, key } = await fleet.openAccount(100_000)
  await until(async () => {
    const answer = await post(first.server.api, '/api/lookup', { zipcode: '90210', apiKey: key })
    return answer.status === 200
  })
  const figures = async () => ({
    silent: await readMetric(second.server.dashboard, 'postrie_fleet_silent_nodes'),
    inDoubt: await readMetric(second.server.dashboard, 'postrie_fleet_in_doubt_dollars'),
    dashboard: await readMetric(second.server.dashboard, 'postrie_fleet_dashboard_up'),
  })
  t.same(await figures(), { silent: 0, inDoubt: 0, dashboard: 1 })

  await first.server.stop('SIGKILL')
  const { leased } = await fleet.readAccount(id)
  t.ok(leased > 0)
  await fleet.postgres.query(
    'update postrie.node set seen_ms = seen_ms - 60000 where id = (select dashboard_node from postrie.fleet)',
  )
  await until(async () => (await figures()).silent === 1)
  t.same(await figures(), { silent: 1, inDoubt: leased / 1e6, dashboard: 0 })

  await fleet.restart(first)
  await until(async () => (await figures()).silent === 0)
  t.same(await figures(), { silent: 0, inDoubt: 0, dashboard: 1 })
})

t.test('every node says which index it serves', async t => {
  const INDEX_FILE = writeIndex(t.testdir())
  const { server } = await fleet.add({ INDEX_FILE })
  const builds = async () => {
    const rows = await fleet.postgres.query("select index_build from postrie.node where address like '%:%'")
    return new Set(rows.map(({ index_build }) => index_build)).size
  }
  await until(async () => (await builds()) === 2)
  copyFileSync(DEFAULT_INDEX, `${INDEX_FILE}.next`)
  renameSync(`${INDEX_FILE}.next`, INDEX_FILE)
  server.child.kill('SIGHUP')
  await until(async () => (await builds()) === 1)
})
