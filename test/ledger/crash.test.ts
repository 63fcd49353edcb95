/**
 * The real server under load, killed with SIGKILL at a random moment, round after round on the same data folder. CI runs
 * 200 rounds; `CRASH_ROUNDS=5000 CRASH_TIMEOUT=3600 node dist/test/ledger/crash.test.js` takes about half an hour.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { askServer } from '../../src/control/operator/operator-client.ts'
import { verifyLedger } from '../../src/ledger/tools/verify.ts'
import { QUERY_PRICE_MICROS } from '../../src/limits.ts'
import { inspect, prepare } from './data-folder.ts'
import { Client, PIPELINED } from './load.ts'
import { seededRandom } from './random.ts'
import { DATA_PREFIX, ServerProcess } from './server-process.ts'

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 200)
const SEED = Number(process.env.CRASH_SEED ?? 1)
const ACCOUNTS = 3
const KEYS_PER_ACCOUNT = 2
const START_MICROS = 100_000_000
const CREDIT_MICROS = 1_000_000

t.setTimeout(Number(process.env.CRASH_TIMEOUT ?? 900) * 1000)

t.test(`${ROUNDS} times SIGKILL: no answered charge is lost, none doubled`, async t => {
  const dir = await mkdtemp(join(tmpdir(), DATA_PREFIX))
  t.teardown(() => rm(dir, { recursive: true }))
  const random = seededRandom(SEED)
  const keys = await prepare(dir, {
    accounts: ACCOUNTS,
    keysPerAccount: KEYS_PER_ACCOUNT,
    micros: START_MICROS,
  })
  const credited = new Map(keys.map(({ account }) => [account, START_MICROS]))

  let charges = 0
  let unanswered = 0
  for (let round = 1; round <= ROUNDS; round++) {
    const server = await new ServerProcess(dir).ready()
    const clients = keys.map(({ secret }) => new Client(secret))
    const running = clients.map(client => client.flood(server.port))
    const account = random.pick([...credited.keys()])
    const reference = `round-${round}`
    const answer = askServer(server.socketFile, 'account.credit', { account, usd: '1', reference })
    const isCredited = answer.then(
      ({ reached }) => reached,
      () => false,
    )
    await new Promise(resolve => setTimeout(resolve, 2 + random.below(60)))
    await server.end('SIGKILL')
    await Promise.all(running)

    const found = await inspect(dir)
    for (const [index, key] of keys.entries()) {
      const client = clients[index] as Client
      const queries = found.queries.get(key.id) ?? 0
      const answered = key.queries + client.charged
      if (queries < answered || queries > answered + PIPELINED) {
        t.fail(`round ${round}, key ${index}: ${queries} queries charged, ${answered} answered`, {
          seed: SEED,
        })
      }
      charges += client.charged
      unanswered += queries - answered
      key.queries = queries
    }
    const spent = keys.filter(key => key.account === account).reduce((sum, key) => sum + key.queries, 0)
    const balance = found.balances.get(account) ?? 0
    const total = balance + spent * QUERY_PRICE_MICROS
    const before = credited.get(account) ?? 0
    if (total !== before + CREDIT_MICROS && (total !== before || (await isCredited))) {
      t.fail(`round ${round}: credits add up to ${total} after ${before}`, { acknowledged: await isCredited })
    }
    credited.set(account, total)
    const { status, problems } = await verifyLedger(dir)
    if (status === 'damaged') t.fail(`round ${round}: the ledger is damaged`, { problems })
  }
  t.ok(charges > ROUNDS, `${charges} charges were answered`)
  t.comment(`${charges} answered, ${unanswered} charged whose answer the kill cut off`)
})
