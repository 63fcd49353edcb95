/** What happens when the meter has fewer rows than the keys in use need: more are made, and nothing is lost meanwhile. */
import { MessageChannel } from 'node:worker_threads'
import t from 'tap'
import { Accounts } from '../../../src/accounts/accounts.ts'
import { SharedCharging } from '../../../src/accounts/charging/shared-charging.ts'
import { verifyLedger } from '../../../src/ledger/tools/verify.ts'
import { authenticate } from '../../ledger/expectation.ts'
import { startThreads, storm } from '../../support/threads.ts'
import { until } from '../../support/until.ts'

t.setTimeout(120_000)

const THREADS = 4
const KEYS = 60
const CONNECTIONS = 32
const PRICE_MICROS = 28
/** So many that each thread gets every key. */
const REQUESTS = KEYS * THREADS * 8

t.test(
  'requests get 503 while there is no row for their key, and every answered one is paid for',
  async t => {
    // A meter made for one thread, in a service where four charge: some 120 rows for 240 pairs of a key and a thread.
    const options = { threads: 0, slotsMin: 1, flushMs: 200 }
    const { port, accounts, openAccount, errors } = await startThreads(t, THREADS, options)
    const { id, key, keyId } = await openAccount(100_000)
    const keys = [key]
    const ids = [keyId]
    while (keys.length < KEYS) {
      const created = await accounts.createKey(id)
      keys.push(created.key)
      ids.push(created.id)
    }
    const answered = keys.map(() => 0)
    let refused = 0
    let sent = 0
    /** After a refusal as many again: the last of them meet a meter with room. */
    let left = REQUESTS
    await storm(
      port,
      CONNECTIONS,
      () => {
        if (left-- <= 0) return undefined
        return {
          path: '/api/lookup',
          body: JSON.stringify({ zipcode: '90210', apiKey: keys[sent++ % KEYS] }),
        }
      },
      ({ body }, answer) => {
        const used = keys.indexOf(JSON.parse(body).apiKey)
        if (answer?.status === 200) answered[used] = (answered[used] as number) + 1
        else if (answer?.status === 503) {
          refused++
          left = REQUESTS
        } else t.fail(`status ${answer?.status}`)
      },
    )
    t.ok(refused > 0, 'rows did run out')
    const total = answered.reduce((sum, count) => sum + count, 0)
    t.comment(`${total} answered, ${refused} refused`)
    t.same(
      ids.map(keyId => accounts.key(keyId)?.queries.lookup),
      answered,
    )
    t.equal(accounts.account(id)?.availableMicros, (100_000 - total) * PRICE_MICROS)
    await accounts.makeDurable()
    t.equal(accounts.account(id)?.spentMicros, total * PRICE_MICROS)
    t.same(errors, [])
  },
)

t.test('rows that were taken by refused charges alone are made up for', async t => {
  const dir = t.testdir()
  const accounts = await Accounts.open({ dir, threads: 0, slotsMin: 1, flushMs: 1 })
  const { id } = await accounts.createAccount({ email: 'poor@example.org', freeCredit: false })
  const secrets: string[] = []
  for (let index = 0; index < KEYS; index++) secrets.push((await accounts.createKey(id)).key)
  const chargings: SharedCharging[] = []
  for (let thread = 0; thread < THREADS; thread++) {
    const { port1, port2 } = new MessageChannel()
    chargings.push(await SharedCharging.open(accounts.attach(port1), port2))
  }
  const refusedBy = (charging: SharedCharging) => {
    for (const secret of secrets) {
      const key = authenticate(charging, secret)
      if (key === undefined || charging.charge(key, 0, 1)) t.fail('an account without money was charged')
    }
  }
  for (const charging of chargings) refusedBy(charging)
  await until(() => chargings.every(({ healthy }) => healthy))
  await accounts.credit({ account: id, micros: 1000 * PRICE_MICROS, kind: 'test', reference: 'late' })
  for (const charging of chargings) {
    const [secret = ''] = secrets
    const key = authenticate(charging, secret)
    t.equal(key && charging.charge(key, 9, 1), true)
  }
  for (const charging of chargings) charging.close()
  await accounts.close()
  t.match(await verifyLedger(dir), { status: 'sound', spentMicros: THREADS * PRICE_MICROS })
})
