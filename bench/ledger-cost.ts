/**
 * What the meter and the ledger cost a whole request: one server, one run, the same requests by turns with the real
 * accounts and with charges that only count in memory. Needs wrk.
 *
 *   INDEX_FILE=data/index.postrie node dist/bench/ledger-cost.js [seconds per turn] [turns]
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Accounts } from '../src/accounts/accounts.ts'
import type { Meter } from '../src/accounts/types.ts'
import type { Service } from '../src/api/service.ts'
import { BulkPool } from '../src/bulk/pool.ts'
import { createApp } from '../src/http/routes.ts'
import { openIndex } from '../src/index/postal-index.ts'
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
  admit: (account, queries) => accounts.admit(account, queries),
  charge(charged, _usage, queries) {
    const micros = queries * QUERY_PRICE_MICROS
    if (charged.account.availableMicros < micros) return false
    charged.account.availableMicros -= micros
    return true
  },
  hold: () => false,
  settle: () => {},
  release: () => {},
  healthy: true,
}

const service: Service & { meter: Meter } = { index: openIndex(INDEX_FILE), meter: accounts }
const bulk = new BulkPool(service.index, 0)
const app = createApp(service, bulk, error => console.error(error))
await new Promise(resolve => app.listen('127.0.0.1', PORT, resolve))

const costs: Record<string, number[]> = { 'in memory': [], 'meter and ledger': [] }
for (let turn = -1; turn < turns; turn += 1) {
  for (const [name, list] of Object.entries(costs)) {
    service.meter = name === 'in memory' ? inMemory : accounts
    const microseconds = await measure()
    if (turn >= 0) list.push(microseconds)
  }
}
const [without = 0, withLedger = 0] = Object.values(costs).map(median)
for (const [name, list] of Object.entries(costs)) {
  console.log(
    `${name.padEnd(18)} ${median(list).toFixed(2)} us of the processor per request (${list.map(cost => cost.toFixed(2)).join(' ')})`,
  )
}
console.log(`the meter and the ledger cost ${((100 * (withLedger - without)) / without).toFixed(1)} percent`)
app.close()
await bulk.close()
await accounts.close()
await rm(dir, { recursive: true })

/** Processor time of all threads of this process per answered request, in microseconds. */
async function measure(): Promise<number> {
  const start = process.cpuUsage()
  const url = `http://127.0.0.1:${PORT}/api/lookup`
  const args = ['-t1', '-c32', `-d${seconds}s`, '-s', script, url]
  const { stdout } = await promisify(execFile)('wrk', args)
  const { user, system } = process.cpuUsage(start)
  if (/Non-2xx/.test(stdout)) throw new Error(stdout)
  return (user + system) / Number(/(\d+) requests in/.exec(stdout)?.[1])
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}
