/**
 * What the meter and the ledger cost a whole request: one server, one run, the same requests in turn with the real
 * accounts and with charges that only count in memory. Needs wrk.
 *
 *   INDEX_FILE=data/index.postrie node dist/bench/ledger-cost.js [seconds per turn] [turns]
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Accounts } from '../src/accounts/accounts.ts'
import type { Meter } from '../src/accounts/types.ts'
import type { Service } from '../src/api/service.ts'
import { BulkPool } from '../src/bulk/pool.ts'
import { Connections, connectionBounds } from '../src/http/connections.ts'
import { createApp } from '../src/http/routes.ts'
import { openIndex } from '../src/index/open-index.ts'
import { CREDIT_MAX_MICROS, QUERY_PRICE_MICROS } from '../src/limits.ts'

const [seconds = 2, turns = 8] = process.argv.slice(2).map(Number)
const { INDEX_FILE = 'data/index.postrie' } = process.env
const PORT = 18_080

const dir = await mkdtemp(join(tmpdir(), 'postrie-cost-'))
const accounts = await Accounts.open({ dir })
const { id } = await accounts.createAccount({ email: 'bench@example.org' })
await accounts.credit({ account: id, micros: CREDIT_MAX_MICROS, reference: 'bench', kind: 'test' })
const { key } = await accounts.createKey(id)
const script = join(dir, 'lookup.lua')
const body = JSON.stringify({ zipcode: '90210', apiKey: key })
await writeFile(script, `wrk.method = "POST"\nwrk.body = '${body}'\n`)

/** The same steps without the meter's stores and without a ledger. */
const inMemory: Meter = {
  authenticate: (bytes, start, end) => accounts.authenticate(bytes, start, end),
  isActive: key => accounts.isActive(key),
  admit: (key, queries) => accounts.admit(key, queries),
  charge(charged, _usage, queries) {
    const micros = queries * QUERY_PRICE_MICROS
    if (charged.account.availableMicros < micros) return false
    charged.account.availableMicros -= micros
    return true
  },
  healthy: true,
  latest: null,
  canPay: () => true,
  takeBack: () => false,
  hold: () => {},
  release: () => {},
  countFree: () => {},
  wanted: null,
  readmit: () => {},
  lease: async () => false,
}

const service: Service & { meter: Meter } = { index: openIndex(INDEX_FILE), meter: accounts }
const bulk = new BulkPool(service.index)
const { app } = createApp({
  service,
  bulk,
  connections: new Connections(connectionBounds(1000), async () => null),
  report: error => console.error(error),
  notReady: () => [],
})
await new Promise(resolve => app.listen('127.0.0.1', PORT, resolve))

interface Cost {
  thread: number
  process: number
}
const costs = { 'in memory': [] as Cost[], 'meter and ledger': [] as Cost[] }
// The first turn warms up.
for (let turn = 0; turn <= turns; turn++) {
  for (const [name, list] of Object.entries(costs)) {
    service.meter = name === 'in memory' ? inMemory : accounts
    const cost = await measure()
    if (turn > 0) list.push(cost)
  }
}
for (const part of ['thread', 'process'] as const) {
  const without = median(costs['in memory'].map(cost => cost[part]))
  const withLedger = median(costs['meter and ledger'].map(cost => cost[part]))
  const percent = (100 * (withLedger - without)) / without
  console.log(
    `${part.padEnd(8)} ${without.toFixed(2)} us a request in memory, ${withLedger.toFixed(2)} us with meter and ledger:`,
    `${percent.toFixed(1)} percent more`,
  )
}
app.close()
await bulk.close()
await accounts.close()
await rm(dir, { recursive: true })

/** Processor time per answered request, in microseconds: of the thread that answers, and of all threads. */
async function measure(): Promise<Cost> {
  const start = process.cpuUsage()
  const startThread = threadMicros()
  const url = `http://127.0.0.1:${PORT}/api/lookup`
  const args = ['-t1', '-c32', `-d${seconds}s`, '-s', script, url]
  const { stdout } = await promisify(execFile)('wrk', args)
  const { user, system } = process.cpuUsage(start)
  if (/Non-2xx/.test(stdout)) throw new Error(stdout)
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1])
  return { thread: (threadMicros() - startThread) / requests, process: (user + system) / requests }
}

/** Processor time of the main thread so far, as Linux counts it. */
function threadMicros(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1000
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}
