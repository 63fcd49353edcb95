/**
 * Nodes are killed and lose their disks or their network. PostgreSQL crashes and is replaced by a dump. Balances have every remainder
 * modulo the price. Then the books are compared with the acknowledged requests. FLEET_ROUNDS, FLEET_FIRST_ROUND and SEED choose other
 * rounds. The nightly run is `FLEET_ROUNDS=300`: 300 kills, 25 crashes of PostgreSQL.
 */
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import t from 'tap'
import { AccountError } from '../../../src/billing/accounts/account-error.ts'
import { RESERVE_MS } from '../../../src/billing/fleet/active-account.ts'
import { openFleetDatabase } from '../../../src/billing/fleet/fleet-database.ts'
import { readNodeFile } from '../../../src/billing/fleet/node-folder.ts'
import { seededChoices } from '../../support/random.ts'
import { TcpProxy } from '../../support/tcp-proxy.ts'
import { sendRequests } from '../../support/threads.ts'
import { Fleet, type FleetNode } from './fleet.ts'
import { heldMicrosMax } from './support.ts'

const ROUNDS = Number(process.env.FLEET_ROUNDS ?? 3)
const SEED = Number(process.env.SEED ?? 1)
/** A long run may be cut into pieces. */
const FIRST_ROUND = Number(process.env.FLEET_FIRST_ROUND ?? 0)
const NODES = 4
const CONNECTIONS = 3
const PRICE_MICROS = 28
const CREDIT_MICROS = 400 * PRICE_MICROS
const ROUND_MS = 400
const ATTEMPTS_MAX = 10
/** Maximum time from a node's last exchange to its last sign of life in the database. */
const SEEN_MS_APART = 500

t.setTimeout(120_000 + ROUNDS * 15_000)

interface Client {
  id: string
  key: string
  /** Answers with 200, and requests without an answer, which may be charged. */
  acknowledged: number
  unanswered: number
  creditedMicros: number
  credits: number
}

interface Place {
  node: FleetNode
  proxy: TcpProxy
  /** Times at which the present node answered each client, or failed to. */
  spent: Map<Client, number[]>
}

const random = seededChoices(SEED)
const fleet = await Fleet.start(t, 0)
const { postgres } = fleet
const proxies = await Promise.all(Array.from({ length: NODES }, () => TcpProxy.open(t, postgres.port)))
const places: Place[] = []
for (const proxy of proxies)
  places.push({ proxy, node: await fleet.add({ ACCOUNTS: postgres.urlBy(proxy.port) }), spent: new Map() })

const clients: Client[] = []
await fleet.withAccounts(async accounts => {
  for (let remainder = 0; remainder < PRICE_MICROS; remainder++) {
    const { id } = await accounts.createAccount({ email: `client${remainder}@example.com` })
    const { secret: key } = await accounts.createKey(id)
    const creditedMicros = 1000 * PRICE_MICROS
    clients.push({ id, key, acknowledged: 0, unanswered: 0, creditedMicros, credits: 0 })
  }
})
for (const [remainder, client] of clients.entries()) await credit([client], remainder)
/** Client with half of the load. It is never refused, so nodes lease much ahead of need. */
const [busy] = clients
await credit([busy], 1_000_000 * PRICE_MICROS)

/** Credits clients, each with its own reference. A credit that the database lost is repeated with the same reference. */
async function credit(some: readonly Client[], micros: number): Promise<void> {
  if (micros === 0) return
  await fleet.withAccounts(async accounts => {
    for (const client of some) {
      const reference = `${client.id} ${client.credits}`
      await retryCommand(() => accounts.credit({ account: client.id, micros, kind: 'operator', reference }))
    }
  })
  for (const client of some) {
    client.credits++
    client.creditedMicros += micros
  }
}

/** Repeats a command that lost its rows to others for too long. Its reference makes that safe. */
async function retryCommand(command: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      await command()
      return
    } catch (error) {
      const isAway = error instanceof AccountError && error.code === 'UNAVAILABLE'
      if (!isAway || attempt === ATTEMPTS_MAX) throw error
    }
}

const statuses = new Map<number, number>()
let isOver = false
const nextClient = (): Client => (random.below(2) === 0 ? busy : random.pick(clients))
/** Runs load on one place until the end, even when its nodes change. */
async function load(place: Place): Promise<void> {
  while (!isOver) {
    const { port } = place.node
    const next = () => {
      if (isOver || place.node.port !== port) return undefined
      return { path: '/api/lookup', body: JSON.stringify({ apiKey: nextClient().key, zipcode: '90210' }) }
    }
    await sendRequests(port, CONNECTIONS, next, ({ body }, answer) => {
      const client = clients.find(({ key }) => body.includes(key))
      if (client === undefined) return
      if (answer === undefined || answer.status === 200) spentBy(place, client).push(Date.now())
      if (answer === undefined) client.unanswered++
      else if (answer.status === 200) client.acknowledged++
      if (answer !== undefined) statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    }).catch(() => {})
    // The node is gone, and its place gets another one.
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

function spentBy({ spent }: Place, client: Client): number[] {
  const times = spent.get(client) ?? []
  spent.set(client, times)
  return times
}

/** Micros of nodes that lost their disks: at most their acknowledged, unreported charges. */
let inDoubtMicros = 0
/** Money in doubt of each account at each lost disk, and the lease policy's limit for it. */
const doubts: { micros: number; recentMicros: number; mostMicros: number }[] = []

async function killNode(place: Place): Promise<void> {
  await place.node.server.stop('SIGKILL')
  place.spent.clear()
  await fleet.restart(place.node, { ACCOUNTS: postgres.urlBy(place.proxy.port) })
}

async function loseDisk(place: Place): Promise<void> {
  const lost = place.node
  const { node = '' } = (await readNodeFile(join(lost.folder, 'node'))) ?? {}
  await lost.server.stop('SIGKILL')
  rmSync(join(lost.folder, 'node'), { recursive: true })
  await fleet.restart(lost, { ACCOUNTS: postgres.urlBy(place.proxy.port) })
  const store = await openFleetDatabase(postgres.url)
  const { micros } = await store.writeOff(node, 0)
  await store.close()
  inDoubtMicros += micros
  await measureDoubt(node, place)
  place.spent.clear()
}

/** Replaces the database by a dump from before a second of load and a credit. Every node ends and starts again. */
async function restoreDump(): Promise<void> {
  const some = clients.filter(() => random.below(4) === 0)
  await fleet.dump()
  const [{ newest }] = await postgres.query(
    'select coalesce(max(id), 0)::int as newest from postrie.write_off',
  )
  await credit(some, CREDIT_MICROS)
  await new Promise(resolve => setTimeout(resolve, ROUND_MS))
  for (const client of some) {
    client.credits--
    client.creditedMicros -= CREDIT_MICROS
  }
  const ended = places.map(({ node }) => once(node.server.child, 'exit'))
  const killedOne = random.pick(places)
  await killedOne.node.server.stop('SIGKILL')
  await fleet.restore()
  await Promise.all(ended)
  await Promise.all(places.map(killNode))
  const [{ micros }] = await postgres.query(
    'select coalesce(sum(micros), 0)::int as micros from postrie.write_off where id > $1',
    [newest],
  )
  inDoubtMicros += Number(micros)
  await credit(some, CREDIT_MICROS)
}

async function measureDoubt(node: string, { spent }: Place): Promise<void> {
  const rows = await postgres.query(
    `select v->>'id' as id, w.micros::int as micros, n.seen_ms as seen
       from postrie.write_off w join postrie.node n on n.id = w.node
         join postrie.event e on true, jsonb_array_elements(e.events) v
       where w.node = $1 and v->>'kind' = 'account' and (v->>'slot')::int = w.account`,
    [node],
  )
  for (const { id, micros, seen } of rows) {
    const times = clients.flatMap(client => (client.id === id ? (spent.get(client) ?? []) : []))
    const ends = times.filter(time => time > Number(seen) - SEEN_MS_APART)
    const spends = [Number(seen), ...ends].map(
      end => times.filter(time => time > end - RESERVE_MS && time <= end).length,
    )
    const recentMicros = Math.max(...spends) * PRICE_MICROS
    // Waiting requests are granted their need in addition.
    const mostMicros = heldMicrosMax(recentMicros) + CONNECTIONS * PRICE_MICROS
    doubts.push({ micros: Number(micros), recentMicros, mostMicros })
  }
}

const faults: Record<string, () => Promise<void>> = {
  kill: () => killNode(random.pick(places)),
  'kill two': async () => {
    const first = random.below(NODES)
    await Promise.all([killNode(places[first]), killNode(places[(first + 1) % NODES])])
  },
  'lose a disk': () => loseDisk(random.pick(places)),
  'restart PostgreSQL': () => postgres.restart('immediate'),
  'restore the database': restoreDump,
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
  'hold rows': async () => {
    const other = new pg.Client({ connectionString: postgres.url })
    await other.connect()
    // A deadlock between the two ends a node's transaction, and the node tries again.
    await other.query("set deadlock_timeout = '1h'")
    await other.query('begin')
    await other.query('select from postrie.holder where slot = account offset $1 limit 2 for update', [
      random.below(clients.length - 1),
    ])
    await new Promise(resolve => setTimeout(resolve, 300 + random.below(1000)))
    await other.query('rollback')
    await other.end()
  },
}
/** A dozen kills in a dozen rounds, mixed with all other events. CI runs the first three. */
const DOZEN = (
  'kill two|lose a disk|restart PostgreSQL|cut the network|restore the database|kill two|break connections|' +
  'kill two|kill two|kill two|slow network|kill'
).split('|')
const ORDER = [...DOZEN, ...DOZEN.map(fault => (fault === 'break connections' ? 'hold rows' : fault))]

t.test('the books balance after crashes', async t => {
  const loads = places.map(load)
  for (let round = 0; round < ROUNDS; round++) {
    const some = clients.filter(() => random.below(4) === 0)
    await credit(some, CREDIT_MICROS + random.below(PRICE_MICROS))
    await new Promise(resolve => setTimeout(resolve, ROUND_MS))
    await faults[ORDER[(FIRST_ROUND + round) % ORDER.length]]()
  }
  isOver = true
  await Promise.all(loads)
  for (const { node } of places) t.equal(await node.server.stop(), 0, node.server.output.stderr.slice(-2000))

  let missingMicros = 0
  for (const { id, acknowledged, unanswered, creditedMicros } of clients) {
    const { credited, spent, leased } = await fleet.readAccount(id)
    t.equal(credited, creditedMicros)
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
  for (const { micros, recentMicros, mostMicros } of doubts)
    t.ok(
      micros <= mostMicros,
      `${micros} in doubt after ${recentMicros} spent in two seconds: at most ${mostMicros}`,
    )
  t.same(
    [...statuses.keys()].filter(status => ![200, 402, 503].includes(status)),
    [],
    `answers ${JSON.stringify(Object.fromEntries(statuses))}`,
  )
})
