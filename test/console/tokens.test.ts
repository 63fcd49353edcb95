import t from 'tap'
import { WRONG_TOKENS_PER_MINUTE_MAX } from '../../src/console/session/tokens.ts'
import { MINUTE_MS } from '../../src/platform/time.ts'
import { Browser, movableClock, startDashboard } from '../support/dashboard.ts'
import { entranceOf } from '../support/entrances.ts'
import { startIdentityProvider } from '../support/identity-provider.ts'
import { sendAs } from '../support/post.ts'
import { command, postrieJson, startFakeServer } from '../support/processes.ts'

const ADA = 'ada@example.com'
const tokenOf = (address: string) => new URL(address).searchParams.get('token') ?? ''

t.test('`postrie token` signs in the owner of the demo account, or another person', async t => {
  const dir = t.testdir()
  t.match(await command(dir, ['token']), { code: 1, stderr: /no server runs|does not exist|no ledger/ })
  const server = await startFakeServer(dir)
  t.teardown(() => server.stop())
  const enter = async (address: string) => {
    const browser = new Browser(server.dashboard)
    t.equal((await browser.post('/sign-in', { token: tokenOf(address), next: '/account' })).status, 302)
    return await browser.read('/account')
  }
  t.match(await enter(server.entrance), 'demo@localhost', 'the printed one')
  t.match(await enter((await postrieJson(dir, ['token'])).address), 'demo@localhost')
  t.match(await enter((await postrieJson(dir, ['token', '--email', ADA])).address), ADA)
  t.match(await command(dir, ['token', '--email', 'nobody']), { code: 2, stderr: /must be an email address/ })
})

t.test('a token works once and for ten minutes, and its page says what to do', async t => {
  const advance = movableClock(t)
  const { origin } = await startDashboard(t)
  const [first, second] = [await entranceOf(origin, ADA), await entranceOf(origin, ADA)].map(tokenOf)
  const browser = new Browser(origin)
  const use = async (token: string) => {
    const answer = await browser.post('/sign-in', { token })
    return `${answer.status} ${/role="alert">([^<]*)/.exec(await answer.text())?.[1] ?? ''}`
  }
  t.match(await browser.read(`/sign-in?token=${first}`), first, 'its page does not use it up')
  t.equal(await use(first), '302 ')
  t.match(await use(first), /^400 This token was used before. Run &#39;postrie token&#39;/)
  advance(10 * MINUTE_MS)
  t.match(await use(second), /^400 This token has expired. Run &#39;postrie token&#39;/)
  t.match(await use(''), /^400 This token is not valid. Run &#39;postrie token&#39;/)
})

t.test('wrong tokens are slowed down', async t => {
  const advance = movableClock(t)
  const { origin } = await startDashboard(t)
  const browser = new Browser(origin)
  for (let n = 0; n < WRONG_TOKENS_PER_MINUTE_MAX; n++) await browser.post('/sign-in', { token: `${n}` })
  const token = tokenOf(await entranceOf(origin, ADA))
  t.match(await (await browser.post('/sign-in', { token })).text(), 'Wait a minute')
  advance(MINUTE_MS)
  t.equal((await browser.post('/sign-in', { token })).status, 302)
})

t.test('other sites, other host names and proxies cannot use a token', async t => {
  const { origin } = await startDashboard(t)
  const token = tokenOf(await entranceOf(origin, ADA))
  const browser = new Browser(origin)
  for (const other of ['https://evil.example', 'null', null])
    t.equal((await browser.post('/sign-in', { token }, other)).status, 403, `origin ${other}`)
  const post = async (headers: Record<string, string>) => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded', Origin: origin, ...headers }
    return (await sendAs(`${origin}/sign-in`, form, { method: 'POST' }, `token=${token}`)).status
  }
  t.equal(await post({ Host: `evil.example:${new URL(origin).port}` }), 421)
  for (const name of ['Forwarded', 'X-Forwarded-For', 'X-Real-IP', 'Via'])
    t.equal(await post({ [name]: '203.0.113.9' }), 403, name)
  t.equal(await post({}), 302, 'and none has used it up')
})

t.test('with an identity provider there are no tokens, and sessions of tokens end', async t => {
  const provider = await startIdentityProvider(t)
  const dashboard = await startDashboard(t)
  const before = new Browser(dashboard.origin)
  await before.signIn(ADA)
  await dashboard.restart(provider.env)
  await t.rejects(entranceOf(dashboard.origin), { code: 'refused', message: /identity provider/ })
  const browser = new Browser(dashboard.origin, before.cookies)
  t.equal((await browser.post('/sign-in', { token: 'x' })).status, 404)
  t.match((await browser.visit('/')).url, '/sign-in')
})
