import { createServer } from 'node:http'
import t from 'tap'
import { sendWebhook, webhookProblem } from '../../src/console/alerts/webhook.ts'
import { isPublicAddress } from '../../src/platform/networks.ts'
import { signInAs, startWithCustomer } from '../support/dashboard.ts'
import { startHook } from '../support/hook.ts'
import { listenUntilEnd } from '../support/listening.ts'

const MESSAGE = { id: 'one', body: '{}' }
const closing = new AbortController().signal

const HIDDEN = [
  ...'127.0.0.1 10.1.2.3 172.31.255.255 192.168.0.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1'.split(' '),
  ...'255.255.255.255 :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::a00:1 fe80::1 fd00::1 ff02::1'.split(
    ' ',
  ),
  ...'2001:db8::1 2001::1 2002:7f00:1::'.split(' '),
]

t.test('only addresses on the Internet are public', async t => {
  for (const address of HIDDEN) t.notOk(isPublicAddress(address), address)
  for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'])
    t.ok(isPublicAddress(address), address)
  t.notOk(isPublicAddress('example.com'), 'not an address')
})

t.test('the form refuses an address inside the network', async t => {
  const urls = [
    ...HIDDEN.map(address => `https://${address.includes(':') ? `[${address}]` : address}/`),
    ...'https://2130706433/ https://0x7f.1/ https://0177.0.0.1/ https://127.1/ https://localhost:8081/'.split(
      ' ',
    ),
    ...'https://a.localhost/ https://localhost./ https://inside.example.com/ http://example.com/ https://'.split(
      ' ',
    ),
    ...'ftp://example.com/ file:///etc/passwd javascript:1 https://me:secret@example.com/ example.com'.split(
      ' ',
    ),
    `https://example.com/${'x'.repeat(1024)}`,
  ]
  const names: Record<string, string[]> = { 'inside.example.com': ['8.8.8.8', '127.0.0.1'] }
  const resolve = async (host: string) => names[host] ?? ['8.8.8.8']
  for (const url of urls) t.type(await webhookProblem(url, false, resolve), 'string', url)
  t.equal(await webhookProblem('https://example.com:8443/alerts?a=b', false, resolve), null)
  t.equal(await webhookProblem('https://down.example.com/', false, async () => []), null, 'may come back')
  t.equal(await webhookProblem('http://10.0.0.1/alerts', true), null, 'allowed by the setting')
})

t.test('a message to an address inside the network is refused', async t => {
  const hook = await startHook(t)
  const { port } = new URL(hook.url)
  const send = (url: string, addresses: string[]) =>
    sendWebhook({ url, secret: 's' }, MESSAGE, {
      allowPrivate: false,
      closing,
      resolve: async () => addresses,
    })
  const hosts = ['https://127.0.0.1', 'https://[::1]', 'http://example.com']
  for (const url of [hook.url, ...hosts.map(host => `${host}:${port}/`)])
    await t.rejects(send(url, ['8.8.8.8']), /on the Internet/, url)
  for (const addresses of [['127.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['::ffff:127.0.0.1']])
    await t.rejects(
      send(`https://example.com:${port}/`, addresses),
      /has an address that is not on the Internet/,
    )
  await t.rejects(send(`https://example.com:${port}/`, []), /has no address/)
  t.equal(hook.messages.length, 0)
  const url = hook.url.replace('127.0.0.1', 'localhost')
  await sendWebhook({ url, secret: 's' }, MESSAGE, { allowPrivate: true, closing })
  t.equal(hook.messages.length, 1, 'allowed by the setting')
})

t.test('a receiver with a broken or endless answer harms nobody', async t => {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'Content-Length': '1000000' })
    if (request.url === '/endless') response.write('x'.repeat(100_000))
    else response.write('x', () => request.socket.resetAndDestroy())
  })
  const origin = `http://127.0.0.1:${await listenUntilEnd(t, server)}`
  for (const path of ['/endless', '/broken'])
    await sendWebhook({ url: origin + path, secret: 's' }, MESSAGE, { allowPrivate: true, closing }).catch(
      () => {},
    )
  // An unhandled error after the answer would end the process.
  await new Promise(resolve => setImmediate(resolve))
  t.pass('both have been left')
})

t.test('the page refuses wrong input and keeps the typed text', async t => {
  const { dashboard, ada } = await startWithCustomer(t)
  const url = 'https://192.168.0.1/alerts'
  const text = await ada.expectRefused('/alerts', '/alerts', { url, webhook: 'key.created' })
  t.match(text, 'The address must be on the Internet.')
  t.match(text, `value="${url}"`)
  t.match(text, /name="webhook" value="key.created" checked/)
  const none = await ada.expectRefused('/alerts', '/alerts', { url: '', webhook: 'key.created' })
  t.match(none, 'Enter the address')
  const odd = await ada.expectRefused('/alerts', '/alerts', { url: '', webhook: 'constructor' })
  t.match(odd, '&quot;constructor&quot; must be a kind of alert.')
  const fields = { url: 'https://example.com/', email: 'key.created' }
  t.equal((await ada.submit('/alerts', '/alerts', fields)).status, 303)
  const page = await ada.read('/alerts')
  t.match(page, 'The operator of this service has not set up email.')
  t.notMatch(page, / checked/, 'an unknown channel is ignored')
  t.equal((await ada.post('/alerts', { url: 'https://example.com/', csrf: 'guess' })).status, 403)
  const bob = await signInAs(dashboard, 'bob@example.com')
  t.notMatch(await bob.read('/alerts'), 'whsec_', "nobody sees another account's secret")
})
