/**
 * What a fleet asks of its database, up to 1,000 nodes and 1,000,000 accounts: calls and rows a second, and the cores that they
 * take by the costs that `bench/fleet/database.ts` measures.
 *
 *   node dist/bench/fleet/simulation.js [requests a second] [ms of a call] [ms of each account in it]
 *
 * Requests of the whole fleet are spread over accounts by Zipf's law, and over nodes evenly, or by account as a load balancer
 * does that hashes the key. Nodes behave alike, so a sample of them is simulated. Each account has $5.
 */
import { QUERY_PRICE_MICROS, RECHARGE_MIN_MICROS } from '../../src/limits.ts'
import { randomFrom } from '../random.ts'
import { type Costs, SimulatedLeases, type Work } from './simulated-leases.ts'

const [requestsPerSecond, callMs, rowMs] = [100_000, 1, 0.04].map((value, at) =>
  Number(process.argv[2 + at] ?? value),
)
const costs: Costs = { callMs, rowMs }

/** Reads of the changes, by one node in a second. */
const POLLS_PER_SECOND = 2
const NODES_SIMULATED_MAX = 16
const WARM_MS = 8000
const MEASURED_MS = 8000

console.log(
  `${requestsPerSecond} requests/s in all; a call takes ${callMs} ms, and ${rowMs} ms for each account\n`,
)
console.log(
  '| accounts | skew | nodes | routed by | requests that wait | exchanges/s | accounts in one | rows/s | calls/s with reads | cores |',
)
console.log('|---|---|---|---|---|---|---|---|---|---|')
for (const accounts of [10_000, 1_000_000]) {
  for (const skew of [0.6, 1, 1.2]) {
    const pick = zipf(accounts, skew)
    for (const nodes of [4, 32, 250, 1000]) {
      for (const isByAccount of [false, true]) report(accounts, skew, nodes, isByAccount, pick)
    }
  }
}

function report(accounts: number, skew: number, nodes: number, isByAccount: boolean, pick: Pick): void {
  const simulated = Math.min(nodes, NODES_SIMULATED_MAX)
  const work = simulate(nodes, simulated, isByAccount, pick)
  const perSecond = (count: number) => ((count / MEASURED_MS) * 1000 * nodes) / simulated
  const [exchanges, rows] = [perSecond(work.exchanges), perSecond(work.rows)]
  const reads = nodes * POLLS_PER_SECOND
  const cores = ((exchanges + reads) * callMs + rows * rowMs) / 1000
  const cells = [
    accounts.toLocaleString('en'),
    skew,
    nodes,
    isByAccount ? 'account' : 'chance',
    `${((100 * work.waited) / Math.max(1, work.requests)).toFixed(2)} %`,
    exchanges.toFixed(0),
    (work.rows / Math.max(1, work.exchanges)).toFixed(0),
    rows.toFixed(0),
    (exchanges + reads).toFixed(0),
    cores.toFixed(1),
  ]
  console.log(`| ${cells.join(' | ')} |`)
}

/** What the simulated nodes do in the measured time. */
function simulate(nodes: number, simulated: number, isByAccount: boolean, pick: Pick): Work {
  const random = randomFrom(1)
  const balance = RECHARGE_MIN_MICROS / QUERY_PRICE_MICROS
  const fleet = Array.from(
    { length: simulated },
    () => new SimulatedLeases(costs, Math.floor(balance / 2 / nodes)),
  )
  // Requests that reach nodes that are not simulated are drawn only where the account decides on the node.
  const perMs = (requestsPerSecond / 1000) * (isByAccount ? 1 : simulated / nodes)
  let isMeasured = false
  for (let nowMs = 0; nowMs < WARM_MS + MEASURED_MS; nowMs += -Math.log(1 - random()) / perMs) {
    if (!isMeasured && nowMs >= WARM_MS) {
      isMeasured = true
      for (const node of fleet) node.work = { requests: 0, waited: 0, exchanges: 0, rows: 0 }
    }
    const account = pick(random())
    const at = isByAccount ? hash(account) % nodes : Math.floor(random() * simulated)
    if (at < simulated) fleet[at].request(account, nowMs)
  }
  const sum = (of: (work: Work) => number) => fleet.reduce((total, { work }) => total + of(work), 0)
  return {
    requests: sum(work => work.requests),
    waited: sum(work => work.waited),
    exchanges: sum(work => work.exchanges),
    rows: sum(work => work.rows),
  }
}

/** An account for a number from 0 up to 1. */
type Pick = (at: number) => number

/** The account of rank `r` has a share in proportion to `1 / r ** skew`. */
function zipf(accounts: number, skew: number): Pick {
  const sums = new Float64Array(accounts)
  let sum = 0
  for (let rank = 0; rank < accounts; rank++) {
    sum += 1 / (rank + 1) ** skew
    sums[rank] = sum
  }
  return at => {
    let [low, high] = [0, accounts - 1]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (sums[middle] > at * sum) high = middle
      else low = middle + 1
    }
    return low
  }
}

/** Spreads ranks over nodes: the finalizer of MurmurHash3, which is in the public domain. */
function hash(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
