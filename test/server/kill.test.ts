/**
 * SIGKILL in the middle of load on four threads: what was answered has been charged, and no more than what was being answered.
 * A few rounds here; `KILL_ROUNDS=100 node dist/test/server/kill.test.js` runs more, `KILL_SEED` others.
 */
import t from 'tap'
import { writeIndex } from '../support/fixture-index.ts'
import { post } from '../support/post.ts'
import { postrie, postrieJson, startServer } from '../support/processes.ts'
import { seededRandom } from '../support/random.ts'
import { storm } from '../support/threads.ts'

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 3)
const random = seededRandom(Number(process.env.KILL_SEED ?? 1))
const CONNECTIONS = 16
const BATCH = 300
const PRICE_MICROS = 28
const ROUND_MS_MAX = 20_000

t.setTimeout(30_000 + ROUNDS * ROUND_MS_MAX)

t.test(`${ROUNDS} rounds`, async t => {
  const folder = t.testdir()
  writeIndex(folder)
  const env = { HTTP_THREADS: '4', BULK_WORKERS: '1' }
  let server = await startServer(folder, env)
  t.teardown(() => server.stop())
  const { id } = await postrieJson(folder, ['account', 'create', 'ada@example.com'])
  await postrieJson(folder, ['account', 'credit', id, '1000', '--reference', 'rounds'])
  const { key: apiKey } = await postrieJson(folder, ['key', 'create', id])
  const balanceMicros = async () => {
    const { json } = await post(server.api, '/api/balance', { apiKey })
    return Math.round(json.balance * 1e6)
  }
  const lookup = { path: '/api/lookup', body: JSON.stringify({ apiKey, zipcode: '90210' }) }
  const records = Array.from({ length: BATCH }, () => ({ postalCode: '90210', countryCode: 'US' }))
  const batch = { path: '/api/validate-bulk', body: JSON.stringify({ apiKey, records }) }
  const cost = (request: typeof lookup) => (request === batch ? BATCH : 1) * PRICE_MICROS

  let before = await balanceMicros()
  for (let round = 0; round < ROUNDS; round++) {
    let sent = 0
    let answeredMicros = 0
    let unansweredMicros = 0
    const killAfter = 200 + random(3000)
    let killed: Promise<unknown> | undefined
    await storm(
      Number(new URL(server.api).port),
      CONNECTIONS,
      () => {
        if (++sent === killAfter) killed = server.stop('SIGKILL')
        return random(40) === 0 ? batch : lookup
      },
      (request, answer) => {
        if (answer === undefined) unansweredMicros += cost(request)
        else if (answer.status === 200) answeredMicros += cost(request)
        else t.fail(`status ${answer.status}`)
      },
    )
    await killed
    server = await startServer(folder, env)
    const after = await balanceMicros()
    const chargedMicros = before - after
    if (chargedMicros < answeredMicros || chargedMicros > answeredMicros + unansweredMicros)
      t.fail(
        `round ${round}: ${chargedMicros} micros charged for ${answeredMicros} answered and ${unansweredMicros} in progress`,
      )
    before = after
  }
  await server.stop()
  const { code } = await postrie(folder, ['ledger', 'verify'])
  t.equal(code, 0, 'the ledger proves every balance')
})
