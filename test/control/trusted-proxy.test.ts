/** Where the audit log says that a change came from, with and without proxies that the operator trusts. */
import t, { type Test } from 'tap'
import { signedIn, startDashboard } from '../support/dashboard.ts'

const ADA = 'ada@example.com'
const CLIENT = '203.0.113.9'

/** The log of an account after a change whose request had these headers. */
async function logAfter(t: Test, env: NodeJS.ProcessEnv, headers: Record<string, string>): Promise<string> {
  const dashboard = await startDashboard(t, env)
  const ada = await signedIn(dashboard, ADA)
  const { text } = await ada.visit('/keys')
  const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const made = await ada.fetch('/keys', {
    method: 'POST',
    body: new URLSearchParams({ csrf, label: 'production' }),
    headers: { Origin: dashboard.origin, ...headers },
  })
  t.equal(made.status, 303)
  let line: string | undefined
  for (let look = 0; look < 500 && line === undefined; look++) {
    const { text } = await ada.visit('/account/log.csv')
    line = text.split('\r\n').find(line => line.includes('production'))
  }
  return line ?? ''
}

t.test('the client of a trusted proxy is whom the log names', async t => {
  const trusted = { TRUSTED_PROXIES: '127.0.0.1' }
  const said = { 'X-Forwarded-For': `198.51.100.1, ${CLIENT}` }
  t.match(await logAfter(t, trusted, said), new RegExp(`,"?${CLIENT}"?$`))
  t.match(await logAfter(t, trusted, {}), /,"?127\.0\.0\.1"?$/)
  t.match(await logAfter(t, trusted, { 'X-Forwarded-For': `${CLIENT}, unknown` }), 'an unknown address')
  const standard = { ...trusted, TRUSTED_PROXIES_HEADER: 'forwarded' }
  t.match(
    await logAfter(t, standard, { ...said, Forwarded: `for="${CLIENT}:80"` }),
    new RegExp(`,"?${CLIENT}"?$`),
  )
})

t.test('without one, the log has both addresses, since the header may be made up', async t => {
  t.match(await logAfter(t, {}, { 'X-Forwarded-For': CLIENT }), `${CLIENT} via 127.0.0.1`)
  t.match(
    await logAfter(t, { TRUSTED_PROXIES: '10.0.0.0/8' }, { 'X-Forwarded-For': CLIENT }),
    /,"?127\.0\.0\.1"?$/,
    'whoever is not a proxy is not believed',
  )
})
