/**
 * Nodes are killed, lose their disks and their network, and PostgreSQL crashes, under load; then the books are compared with what
 * was acknowledged. FLEET_ROUNDS and SEED choose other rounds than those of CI: `FLEET_ROUNDS=300` is the nightly run: 300 kills, 50 crashes of PostgreSQL.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readNodeFile } from '../../src/fleet/node-file.ts'
import { openPostgresStore } from '../../src/fleet/postgres-store.ts'
import { seededRandom } from '../ledger/random.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { storm } from '../support/threads.ts'
import { Fleet, type FleetNode } from './fleet.ts'

const ROUNDS = Number(process.env.FLEET_ROUNDS ?? 12)
const SEED = Number(process.env.SEED ?? 1)
const NODES = 4
const CONNECTIONS = 3
const ACCOUNTS = 5
const PRICE_MICROS = 28
/** What one account may have in doubt at a node that loses its disk: what it leases ahead, for two seconds at its rate. */
const ROUND_MS = 700

t.setTimeout(120_000 + ROUNDS * 15_000)

interface Client {
  id: string
  email: string
  key: string
  /** Answers 200, and requests without an answer, which may have been charged. */
  acknowledged: number
  unanswered: number
  /** Acknowledged by the present node of each place since it started. */
  credits: number
}

const random = seededRandom(SEED)
const fleet = await Fleet.start(t, 0)
const { postgres } = fleet
const proxies = await Promise.all(Array.from({ length: NODES }, () => TcpProxy.open(postgres.port)))
t.teardown(() => Promise.all(proxies.map(proxy => proxy.close())))
const places: { node: FleetNode; proxy: TcpProxy }[] = []
for (const proxy of proxies)
  places.push({ proxy, node: await fleet.add({ ACCOUNTS: postgres.urlBy(proxy.port) }) })

const clients: Client[] = []
for (let i = 0; i < ACCOUNTS; i++) {
  const email = `client${i}@example.com`
  const { id } = await fleet.command(['account', 'create', email])
  const { key } = await fleet.command(['key', 'create', email])
  clients.push({ id, email, key, acknowledged: 0, unanswered: 0, credits: 0 })
}

const statuses = new Map<number, number>()
let isOver = false
/** Load on one place, until the end, whatever happens to its nodes. */
async function load(place: { node: FleetNode }): Promise<void> {
  while (!isOver) {
    const { port } = place.node
    const next = () => {
      if (isOver || place.node.port !== port) return undefined
      return {
        path: '/api/lookup',
        body: JSON.stringify({ apiKey: random.pick(clients).key, zipcode: '90210' }),
      }
    }
    await storm(port, CONNECTIONS, next, ({ body }, answer) => {
      const client = clients.find(({ key }) => body.includes(key))
      if (client === undefined) return
      if (answer === undefined) client.unanswered++
      else if (answer.status === 200) client.acknowledged++
      if (answer !== undefined) statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    }).catch(() => {})
    // The node is gone: its place gets another one.
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

const happened: Record<string, number> = {}
/** Micros that nodes held when they lost their disks: at most what they had acknowledged and not reported. */
let inDoubtMicros = 0

async function killed(place: { node: FleetNode; proxy: TcpProxy }): Promise<void> {
  await place.node.server.stop('SIGKILL')
  await fleet.restart(place.node, { ACCOUNTS: postgres.urlBy(place.proxy.port) })
}

async function diskLost(place: { node: FleetNode; proxy: TcpProxy }): Promise<void> {
  const lost = place.node
  const { node = '' } = (await readNodeFile(join(lost.folder, 'node'))) ?? {}
  await lost.server.stop('SIGKILL')
  rmSync(join(lost.folder, 'node'), { recursive: true })
  await fleet.restart(lost, { ACCOUNTS: postgres.urlBy(place.proxy.port) })
  const store = await openPostgresStore(postgres.url, { writeOffMs: 0 })
  const { micros } = await store.writeOff(node)
  await store.close()
  inDoubtMicros += micros
}

const faults: Record<string, () => Promise<void>> = {
  kill: () => killed(random.pick(places)),
  'kill two': async () => {
    const first = random.below(NODES)
    await Promise.all([killed(places[first]), killed(places[(first + 1) % NODES])])
  },
  'lose a disk': () => diskLost(random.pick(places)),
  'restart PostgreSQL': () => postgres.restart('immediate'),
  'cut the network': async () => {
    const { proxy } = random.pick(places)
    proxy.silence()
    await new Promise(resolve => setTimeout(resolve, 300 + random.below(3000)))
    proxy.heal()
  },
  'break connections': async () => random.pick(places).proxy.reset(),
  'slow network': async () => {
    const { proxy } = random.pick(places)
    proxy.delay(20 + random.below(200))
    await new Promise(resolve => setTimeout(resolve, 1000))
    proxy.heal()
  },
}
/** A dozen kills in a dozen rounds, with all else in between. */
const ORDER = [
  'kill two',
  'lose a disk',
  'restart PostgreSQL',
  'kill two',
  'cut the network',
  'kill two',
  'break connections',
  'kill two',
  'restart PostgreSQL',
  'kill two',
  'slow network',
  'kill',
]

t.test('the books balance', async t => {
  const loads = places.map(load)
  for (let round = 0; round < ROUNDS; round++) {
    const client = random.pick(clients)
    const reference = `${client.email} ${client.credits++}`
    await fleet.command(['account', 'credit', client.email, '1', '--reference', reference])
    await new Promise(resolve => setTimeout(resolve, ROUND_MS))
    const fault = ORDER[round % ORDER.length]
    happened[fault] = (happened[fault] ?? 0) + 1
    await faults[fault]()
  }
  isOver = true
  await Promise.all(loads)
  for (const { node } of places) t.equal(await node.server.stop(), 0, node.server.output.stderr.slice(-2000))

  let missingMicros = 0
  for (const { id, acknowledged, unanswered, credits } of clients) {
    const { credited, spent, leased } = await fleet.booked(id)
    t.equal(credited, 28_000 + credits * 1_000_000)
    t.equal(leased, 0, 'nothing is left leased')
    t.ok(spent <= credited, 'never negative')
    const most = (acknowledged + unanswered) * PRICE_MICROS
    t.ok(spent <= most, `booked ${spent}, at most ${most}: nothing twice`)
    missingMicros += Math.max(0, acknowledged * PRICE_MICROS - spent)
  }
  t.ok(
    missingMicros <= inDoubtMicros,
    `${missingMicros} acknowledged and not booked, ${inDoubtMicros} in doubt with lost disks`,
  )
  t.same(
    [...statuses.keys()].filter(status => ![200, 402, 503].includes(status)),
    [],
    `answers ${JSON.stringify(Object.fromEntries(statuses))}`,
  )
  t.comment(`${JSON.stringify(happened)}; answers ${JSON.stringify(Object.fromEntries(statuses))}`)
})
