import t, { type Test } from 'tap'
import { startWithCustomer } from '../support/dashboard.ts'

const CLIENT = '203.0.113.9'

async function logAfter(t: Test, env: NodeJS.ProcessEnv, headers: Record<string, string>): Promise<string> {
  const { origin, ada } = await startWithCustomer(t, env)
  const csrf = await ada.token('/keys')
  const made = await ada.fetch('/keys', {
    method: 'POST',
    body: new URLSearchParams({ csrf, label: 'production' }),
    headers: { Origin: origin, ...headers },
  })
  t.equal(made.status, 303)
  let line: string | undefined
  for (let look = 0; look < 500 && line === undefined; look++) {
    const { text } = await ada.visit('/account/log.csv')
    line = text.split('\r\n').find(line => line.includes('production'))
  }
  return line ?? ''
}

t.test('the log names the client of a trusted proxy', async t => {
  const trusted = { TRUSTED_PROXIES: '127.0.0.1' }
  const said = { 'X-Forwarded-For': `198.51.100.1, ${CLIENT}` }
  t.match(await logAfter(t, trusted, said), new RegExp(`,"?${CLIENT}"?$`))
})

t.test('without a trusted proxy, the log has both addresses', async t => {
  t.match(await logAfter(t, {}, { 'X-Forwarded-For': CLIENT }), `${CLIENT} via 127.0.0.1`)
})
