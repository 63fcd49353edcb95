/**
 * Runs the suites of the contract, the dashboard and the commands on a fleet's PostgreSQL. FLEET_SUITES=all runs all that can. The others
 * need a ledger: billing/accounts/, billing/ledger/, and of programs/cli/ backup, ledger, preflight and output. console/alerts, low-balance,
 * trouble, trouble-browser, usage and page-quality charge in loops that cannot wait for a lease.
 */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { TestPostgres } from '../../support/postgres.ts'
import { finished } from '../../support/processes.ts'

const SUITES = 'contract/money console/payments'.split(' ')
const MORE = (
  'programs/cli/commands-alone programs/cli/commands-server contract/answers contract/requests ' +
  'console/access console/alert-attacks ' +
  'console/attacks console/auto-recharge console/browser console/key-rules console/operator ' +
  'console/reference console/sessions console/sign-in ' +
  'console/takeover console/team-attacks console/team-email server/stop'
).split(' ')

t.setTimeout(900_000)

const postgres = await TestPostgres.start()
t.teardown(() => postgres.stop())

async function passes(t: Test, suite: string): Promise<void> {
  const file = fileURLToPath(new URL(`../../${suite}.test.js`, import.meta.url))
  const env = { ...process.env, POSTRIE_TEST_FLEET: postgres.url, TAP_TIMEOUT: '600' }
  const child = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const { code, stdout } = await finished(child)
  const failed = stdout.split('\n').filter(line => /^ *not ok/.test(line))
  t.equal(code, 0, `${suite} ${failed.join(' ')}`)
}

t.test('suites of a single process pass on a fleet', async t => {
  const waiting = process.env.FLEET_SUITES === 'all' ? [...SUITES, ...MORE] : [...SUITES]
  const lane = async () => {
    for (let suite = waiting.shift(); suite !== undefined; suite = waiting.shift()) await passes(t, suite)
  }
  await Promise.all([lane(), lane()])
})
