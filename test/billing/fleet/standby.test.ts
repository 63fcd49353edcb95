/** PostgreSQL dies under load, and its standby is promoted. */
import t from 'tap'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { TcpProxy } from '../../support/tcp-proxy.ts'
import { sendRequests } from '../../support/threads.ts'
import { until } from '../../support/until.ts'
import { Fleet, type FleetNode } from './fleet.ts'

const CLIENTS = 5
/** More queries than the test sends. */
const QUERIES = 1_000_000

t.setTimeout(300_000)

type Client = { id: string; key: string; acknowledged: number; unanswered: number }

t.test('a promoted standby loses no answered query', async t => {
  const fleet = await Fleet.start(t, 0)
  const network = await TcpProxy.open(t, fleet.postgres.port)
  const env = { ACCOUNTS: fleet.postgres.urlBy(network.port) }
  for (let i = 0; i < 2; i++) await fleet.add(env)
  const clients: Client[] = []
  for (let i = 0; i < CLIENTS; i++) {
    const { id, key } = await fleet.openAccount(QUERIES)
    clients.push({ id, key, acknowledged: 0, unanswered: 0 })
  }
  const standby = await fleet.postgres.standby()
  t.teardown(() => standby.stop())
  const answered = () => clients.reduce((sum, { acknowledged }) => sum + acknowledged, 0)
  let isOver = false
  /** Sends requests to a node until the end, also after its restart. */
  const load = async (node: FleetNode) => {
    for (let asked = 0; !isOver; ) {
      const { port } = node
      const next = () => {
        const { key } = clients[asked++ % CLIENTS]
        const body = JSON.stringify({ apiKey: key, zipcode: '90210' })
        return isOver || node.port !== port ? undefined : { path: '/api/lookup', body }
      }
      await sendRequests(port, 2, next, ({ body }, answer) => {
        const client = clients.find(({ key }) => body.includes(key))
        if (client === undefined) return
        if (answer === undefined) client.unanswered++
        else if (answer.status === 200) client.acknowledged++
      }).catch(() => {})
    }
  }
  const loads = fleet.nodes.map(load)
  await until(() => answered() > 500)

  await fleet.postgres.halt('immediate')
  network.target = standby.port
  network.reset()
  await standby.query('select pg_promote()')
  // A node that knows more than the standby ends, and its supervisor starts it again.
  const restarted: FleetNode[] = []
  const isServing = async (node: FleetNode) => {
    const { child, api } = node.server
    if (child.exitCode !== null) {
      restarted.push(node)
      await fleet.restart(node, env)
    }
    return (await fetch(`${api}/readyz`).catch(() => null))?.ok === true
  }
  const before = answered()
  for (const node of fleet.nodes) await until(() => isServing(node))
  await until(() => answered() > before + 500)
  isOver = true
  await Promise.all(loads)
  for (const node of fleet.nodes) {
    // The node may learn only now that it knows more, and ends. Its supervisor starts it again.
    if ((await node.server.stop()) === 0) continue
    restarted.push(node)
    await fleet.restart(node, env)
    t.equal(await node.server.stop(), 0)
  }
  t.comment(`${answered()} answers; ${restarted.length} nodes were started again`)

  const rows = await standby.query(
    `select h.id, c.used::text as spent, c.leased::text, c.most::text as credited, coalesce((select sum(micros) from postrie.write_off w
        where w.account = h.slot), 0)::text as forgiven
       from postrie.holder h join postrie.counter c on c.holder = h.slot and c.kind = 0`,
  )
  for (const { id, acknowledged, unanswered } of clients) {
    const row = rows.find(each => each.id === id)
    const charged = (Number(row?.spent) + Number(row?.forgiven)) / QUERY_PRICE_MICROS
    t.ok(charged >= acknowledged && charged <= acknowledged + unanswered, `${acknowledged} to ${charged}`)
    t.match(row, { leased: '0', credited: `${QUERIES * QUERY_PRICE_MICROS}` })
  }
})
