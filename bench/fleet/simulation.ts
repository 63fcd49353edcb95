/**
 * What a fleet asks of its database, up to 1,000 nodes and 1,000,000 accounts: calls and rows a second, and the cores that they
 * take by the costs that `bench/fleet/database.ts` measures.
 *
 *   node dist/bench/fleet/simulation.js [requests a second] [ms of a call] [ms of each account in it] [ms between exchanges]
 *
 * Requests of the whole fleet are spread over accounts by Zipf's law, and over nodes evenly, or by account as a load balancer
 * does that hashes the key. Nodes behave alike, so a sample of them is simulated. Each account has $5. Rows of
 * 10,000 accounts take some seconds each, those of a million some minutes.
 */
import { IDLE_MS } from '../../src/fleet/lease-policy.ts'
import { QUERY_PRICE_MICROS, RECHARGE_MIN_MICROS } from '../../src/limits.ts'
import { randomFrom } from '../random.ts'
import { type Costs, SimulatedLeases, type Work } from './simulated-leases.ts'

const [requestsPerSecond, callMs, rowMs, exchangeMs] = [50_000, 1, 0.04, 200].map((value, at) =>
  Number(process.argv[2 + at] ?? value),
)
const costs: Costs = { callMs, rowMs, exchangeMs }

/** Reads of the changes, by one node in a second. */
const POLLS_PER_SECOND = 2
const NODES_SIMULATED_MAX = 2
/** Until the first accounts have been idle for so long that they are returned. Before that, most waits are those of first requests. */
const WARM_MS = IDLE_MS + 6000
const MEASURED_MS = 4000

console.log(
  `${requestsPerSecond} requests/s in all; a call takes ${callMs} ms, and ${rowMs} ms for each account\n`,
)
console.log(
  '| accounts | skew | nodes | routed by | requests that wait | exchanges/s | accounts in one | rows/s | calls/s with reads | cores |',
)
console.log('|---|---|---|---|---|---|---|---|---|---|')
for (const accounts of [10_000, 100_000, 1_000_000]) {
  for (const skew of [0.6, 1, 1.2]) {
    for (const nodes of [4, 32, 250, 1000]) {
      for (const isByAccount of [false, true]) report(accounts, skew, nodes, isByAccount)
    }
  }
}

function report(accounts: number, skew: number, nodes: number, isByAccount: boolean): void {
  const simulated = Math.min(nodes, NODES_SIMULATED_MAX)
  const work = simulate(
    zipf(accounts, skew, isByAccount ? nodes / simulated : 1),
    nodes,
    simulated,
    isByAccount,
  )
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
function simulate({ pick, share }: Skewed, nodes: number, simulated: number, isByAccount: boolean): Work {
  const random = randomFrom(1)
  const balance = RECHARGE_MIN_MICROS / QUERY_PRICE_MICROS
  const aheadMax = Math.floor(balance / 2 / nodes)
  const fleet = Array.from({ length: simulated }, () => new SimulatedLeases(costs, aheadMax))
  const perMs = (requestsPerSecond / 1000) * (isByAccount ? share : simulated / nodes)
  let isMeasured = false
  for (let nowMs = 0; nowMs < WARM_MS + MEASURED_MS; nowMs += -Math.log(1 - random()) / perMs) {
    if (!isMeasured && nowMs >= WARM_MS) {
      isMeasured = true
      for (const node of fleet) node.work = { requests: 0, waited: 0, exchanges: 0, rows: 0 }
    }
    const account = pick(random())
    const at = isByAccount ? account % simulated : Math.floor(random() * simulated)
    fleet[at].request(account, nowMs)
  }
  const sum = (of: (work: Work) => number) => fleet.reduce((total, { work }) => total + of(work), 0)
  return {
    requests: sum(work => work.requests),
    waited: sum(work => work.waited),
    exchanges: sum(work => work.exchanges),
    rows: sum(work => work.rows),
  }
}

interface Skewed {
  /** An account for a number from 0 up to 1. */
  pick: (at: number) => number
  /** Of all requests, those that are for these accounts. */
  share: number
}

/** One account out of `every`. The one of rank `r` has a share in proportion to `1 / r ** skew`. */
function zipf(accounts: number, skew: number, every: number): Skewed {
  const count = Math.floor(accounts / every)
  const sums = new Float64Array(count)
  let [sum, all] = [0, 0]
  for (let rank = 0; rank < accounts; rank++) {
    const weight = 1 / (rank + 1) ** skew
    all += weight
    // From the middle of each group of ranks: the largest account is on one node, and not on most.
    if (rank % every !== Math.floor(every / 2) || rank / every >= count) continue
    sum += weight
    sums[Math.floor(rank / every)] = sum
  }
  const pick = (at: number) => {
    let [low, high] = [0, count - 1]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (sums[middle] > at * sum) high = middle
      else low = middle + 1
    }
    return low
  }
  return { pick, share: sum / all }
}
