/**
 * The suites of the contract, the dashboard and the commands, which otherwise run on a ledger, on a fleet's PostgreSQL. FLEET_SUITES=all
 * runs every one that neither looks into a
 * ledger's files, nor charges without a server, which would first have to wait for a lease.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { TestPostgres } from '../support/postgres.ts'

const SUITES = [
  'contract/money',
  'contract/rate-limits',
  'contract/record',
  'contract/bulk',
  'contract/responses',
  'control/payments',
  'control/operator',
  'control/team-attacks',
]
const MORE = [
  'contract/errors',
  'contract/requests',
  'contract/codes-and-cities',
  'contract/original-clients',
  'control/access',
  'control/attacks',
  'control/auto-recharge',
  'control/browser',
  'control/key-rules',
  'control/receipts',
  'control/sign-in',
  'control/takeover',
  'control/team-email',
]

t.setTimeout(900_000)

const postgres = await TestPostgres.start()
t.teardown(() => postgres.stop())

async function passes(t: Test, suite: string): Promise<void> {
  const file = fileURLToPath(new URL(`../${suite}.test.js`, import.meta.url))
  const env = { ...process.env, POSTRIE_TEST_FLEET: postgres.url, TAP_TIMEOUT: '600' }
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk))
  const [code] = await once(child, 'close')
  const failed = output.split('\n').filter(line => /^ *not ok/.test(line))
  t.equal(code, 0, `${suite} ${failed.join(' ')}`)
}

t.test('suites', async t => {
  const waiting = process.env.FLEET_SUITES === 'all' ? [...SUITES, ...MORE] : [...SUITES]
  const lane = async () => {
    for (let suite = waiting.shift(); suite !== undefined; suite = waiting.shift()) await passes(t, suite)
  }
  await Promise.all([lane(), lane()])
})
