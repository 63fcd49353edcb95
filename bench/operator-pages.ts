/**
 * How long an operator waits for the pages of the console with many accounts, whose keys have 90 days of history each.
 *
 *   node dist/bench/operator-pages.js [accounts] [keys]
 *
 * Medians and the slowest of 30 visits, over a socket, one after the other, after a first visit of each page.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Accounts } from '../src/accounts/accounts.ts'
import { newSecret, secretHash } from '../src/accounts/secret.ts'
import { type ControlPlaneParts, startControlPlane } from '../src/control/control-plane.ts'
import { DAY_MS, DAYS_KEPT } from '../src/ledger/book/history.ts'
import { joinHistories } from '../src/ledger/book/key-usage.ts'
import { packRows } from '../src/ledger/book/packed-rows.ts'
import { Ledger } from '../src/ledger/ledger.ts'
import { QUERY_PRICE_MICROS } from '../src/limits.ts'
import { createLog } from '../src/platform/log.ts'
import { readConfig } from '../src/settings/config.ts'
import { signIn } from './http/dashboard-users.ts'
import { machineLine, thisMachine } from './machine.ts'

const [accountsCount = 50_000, keysCount = 200_000] = process.argv.slice(2).map(Number)
const VISITS = 30
const OPERATOR = 'operator@example.org'
const ENTRIES_PER_SYNC = 5000

const dir = await mkdtemp(join(tmpdir(), 'postrie-console-'))
try {
  console.log(machineLine(thisMachine()))
  console.log(`${accountsCount} accounts, ${keysCount} keys with ${DAYS_KEPT} days each`)
  const start = await fill()
  await measurePages(start)
} finally {
  await rm(dir, { recursive: true })
}

/** Writes a ledger whose keys have histories. Returns the beginning of one key. */
async function fill(): Promise<string> {
  const onFail = (error: Error): never => {
    throw error
  }
  const ledger = await Ledger.open({ dir, priceMicros: QUERY_PRICE_MICROS, onFail })
  const credit = { kind: 'credit', debtPaidMicros: 0, credit: 'test', note: '' } as const
  for (let slot = 0; slot < accountsCount; slot++) {
    ledger.append([
      { kind: 'account', slot, id: `acct_${slot}`, email: `${slot}@example.org` },
      { ...credit, account: slot, micros: 1e10 + slot, reference: `r-${slot}` },
    ])
    if (slot % ENTRIES_PER_SYNC === 0) await ledger.settled()
  }
  let start = ''
  for (let key = 0; key < keysCount; key++) {
    const slot = accountsCount + key
    const secret = newSecret()
    start = secret.slice(0, 12)
    const hash = secretHash(Buffer.from(secret))
    const account = key % accountsCount
    ledger.append([{ kind: 'key', slot, id: `key_${slot}`, account, label: 'a key', start, hash }])
    if (key % ENTRIES_PER_SYNC === 0) await ledger.settled()
  }
  await ledger.settled()
  const nowMs = ledger.timeline.nowMs()
  const rows = Array.from({ length: DAYS_KEPT }, (_, day) => {
    const queries = [0, 0, 0, 0, 0].fill(2000 + day, day % 5, (day % 5) + 1)
    return [Math.floor(nowMs / DAY_MS) - DAYS_KEPT + day, ...queries, (2000 + day) * QUERY_PRICE_MICROS]
  }).flat()
  const histories = joinHistories(packRows([]), packRows(rows))
  for (const record of ledger.book.keys.values()) {
    record.restoreHistories(Buffer.from(histories), 0, histories.length)
    record.lastUsedMs = nowMs - record.slot * 1000
  }
  // With a snapshot, which keeps the histories: no event has made them.
  await ledger.close(async () => {})
  return start
}

async function measurePages(start: string): Promise<void> {
  const accounts = await Accounts.open({ dir })
  const dataPlane: ControlPlaneParts['dataPlane'] = {
    port: 1,
    metrics: () => [],
    index: () => null,
    close: async () => {},
  }
  const settings = { DATA_DIR: dir, PORT: '0', CONTROL_PORT: '0', LOG_LEVEL: 'error', OPERATORS: OPERATOR }
  const config = readConfig(settings)
  const plane = await startControlPlane({ config, accounts, dataPlane, log: createLog(config.logLevel) })
  const cookie = await signIn(plane.entrance, OPERATOR)
  const { origin } = new URL(plane.entrance)
  const visit = async (path: string): Promise<number> => {
    const startedMs = performance.now()
    const response = await fetch(origin + path, { headers: { Cookie: cookie } })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${path} answered ${response.status}`)
    return performance.now() - startedMs
  }
  for (const path of [
    '/operator/service',
    '/operator/accounts',
    '/operator/accounts?page=500',
    '/operator/accounts?order=balance',
    '/operator/accounts?order=spent',
    '/operator/accounts?order=seen',
    '/operator/accounts?order=email',
    '/operator/accounts?q=4321',
    '/operator/accounts?q=key_60000',
    `/operator/accounts?q=${start}`,
    '/operator/accounts/acct_7',
    '/operator/log',
    '/operator/settings',
  ]) {
    const firstMs = await visit(path)
    const taken: number[] = []
    for (let count = 0; count < VISITS; count++) taken.push(await visit(path))
    taken.sort((a, b) => a - b)
    const [median, slowest] = [taken[VISITS / 2], taken[VISITS - 1]].map(ms => ms.toFixed(1))
    console.log(`${path}: median ${median} ms, slowest ${slowest} ms, first ${firstMs.toFixed(0)} ms`)
  }
  await plane.close()
  await accounts.close()
}
