import t from 'tap'
import { readConfig } from '../../src/platform/settings/config.ts'
import { SETTINGS } from '../../src/platform/settings/settings.ts'

const GOOGLE = {
  OIDC_PROVIDERS: 'google',
  OIDC_GOOGLE_ISSUER: 'https://accounts.example.com',
  OIDC_GOOGLE_CLIENT_ID: 'id',
  OIDC_GOOGLE_CLIENT_SECRET: 'secret',
}

function problems(env: NodeJS.ProcessEnv): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    return (error as { problems: { name: string }[] }).problems.map(({ name }) => name)
  }
}

t.test('tokens sign in only on loopback without other providers', async t => {
  t.ok(readConfig({}).dashboard.hasTokens)
  t.ok(readConfig({ HOST: '::1' }).dashboard.hasTokens)
  t.notOk(readConfig({ HOST: '0.0.0.0' }).dashboard.hasTokens)
  t.notOk(readConfig({ HOST: '127.0.0.1.example.com' }).dashboard.hasTokens)
  t.notOk(readConfig({ PUBLIC_URL: 'https://postal.example.com' }).dashboard.hasTokens, 'behind a proxy')
  t.notOk(readConfig(GOOGLE).dashboard.hasTokens)
})

t.test('trusted proxies are networks, and none is trusted by default', async t => {
  t.same(readConfig({}).trustedProxies, [])
  t.same(readConfig({ TRUSTED_PROXIES: '10.1.2.3/8, ::1' }).trustedProxies, ['10.0.0.0/8', '::1'])
  t.same(problems({ TRUSTED_PROXIES: '10.0.0.0/33,proxy.example.com,::1' }), [
    'TRUSTED_PROXIES',
    'TRUSTED_PROXIES',
  ])
  for (const everybody of ['0.0.0.0/0', '::/0', '::ffff:0.0.0.0/96'])
    t.same(problems({ TRUSTED_PROXIES: everybody }), ['TRUSTED_PROXIES'], everybody)
  t.same(problems({ TRUSTED_PROXIES: Array(65).fill('::1').join() }), ['TRUSTED_PROXIES'])
})

t.test('an incomplete provider is refused', async t => {
  t.match(readConfig(GOOGLE).dashboard.providers, [
    { id: 'google', label: 'Continue with Google', clientId: 'id' },
  ])
  const { OIDC_GOOGLE_ISSUER: _, OIDC_GOOGLE_CLIENT_SECRET: __, ...incomplete } = GOOGLE
  t.same(problems(incomplete), ['OIDC_GOOGLE_ISSUER', 'OIDC_GOOGLE_CLIENT_SECRET'])
  t.same(problems({ ...GOOGLE, HOST: '0.0.0.0' }), ['PUBLIC_URL'], 'PUBLIC_URL is missing')
})

t.test('a public http address is refused, so that cookies stay private', async t => {
  t.same(problems({ PUBLIC_URL: 'http://postal.example.com' }), ['PUBLIC_URL'])
})

t.test("the dashboard's address has no path, and a provider needs https", async t => {
  for (const path of ['/dashboard', '/?x=1', '/#x'])
    t.same(problems({ PUBLIC_URL: `https://postal.example.com${path}` }), ['PUBLIC_URL'], path)
  t.same(problems({ PUBLIC_URL: 'https://me:secret@postal.example.com' }), ['PUBLIC_URL'])
  for (const url of [
    'https://postal.example.com/',
    'https://postal.example.com:443',
    'https://POSTAL.example.com',
  ])
    t.same(problems({ PUBLIC_URL: url }), [], url)
  t.same(problems({ ...GOOGLE, OIDC_GOOGLE_ISSUER: 'http://accounts.example.com' }), ['OIDC_GOOGLE_ISSUER'])
  t.same(problems({ ...GOOGLE, OIDC_GOOGLE_ISSUER: 'http://127.0.0.1:9' }), [])
})

t.test('a mail server needs a sender, and its password is never printed', async t => {
  const SMTP_FROM = 'Postal codes <alerts@example.com>'
  t.equal(readConfig({}).dashboard.smtp, null)
  t.match(readConfig({ SMTP_URL: 'smtp://me%40x:s%3Acret@mail.example.com', SMTP_FROM }).dashboard.smtp, {
    host: 'mail.example.com',
    port: 587,
    isSecure: false,
    isLocal: false,
    login: { user: 'me@x', pass: 's:cret' },
  })
  t.match(readConfig({ SMTP_URL: 'smtps://mail.example.com', SMTP_FROM }).dashboard.smtp, {
    port: 465,
    isSecure: true,
    login: null,
  })
  t.ok(readConfig({ SMTP_URL: 'smtp://127.0.0.1:25', SMTP_FROM }).dashboard.smtp?.isLocal)
  t.same(problems({ SMTP_URL: 'smtp://mail.example.com' }), ['SMTP_FROM'])
  for (const from of ['alerts', 'a b@c', 'a@b\r\nBcc: c@d', '<a@b> c'])
    t.same(problems({ SMTP_URL: 'smtp://mail.example.com', SMTP_FROM: from }), ['SMTP_FROM'], from)
  for (const url of [
    'mail.example.com',
    'http://me:secret@mail.example.com',
    'smtp://',
    'smtp://me:secret@ho st',
    'smtp://me%:x@host',
  ]) {
    t.same(problems({ SMTP_URL: url, SMTP_FROM }), ['SMTP_URL'], url)
    t.throws(() => readConfig({ SMTP_URL: url, SMTP_FROM }), { message: /^(?!.*secret)/s })
  }
})

t.test('an address with a password is refused and not printed', async t => {
  for (const name of 'PUBLIC_API_URL STRIPE_API_URL INDEX_URL LOW_BALANCE_WEBHOOK_URL PUBLIC_URL'.split(' '))
    for (const url of ['https://me:hunter2@x.com', 'https://me:hunter2@exam ple.com', 'ftp://me:hunter2@x']) {
      const error = errorOf(() => readConfig({ [name]: url, LOW_BALANCE_WEBHOOK_SECRET: 'x' }))
      t.match(error, { problems: [{ name, expected: /without a name or password/ }] }, `${name} ${url}`)
      t.notMatch(String(error), 'hunter2')
    }
})

t.test('a repeated provider is refused, and an error names the missing setting', async t => {
  t.match(
    errorOf(() => readConfig({ ...GOOGLE, OIDC_PROVIDERS: 'google, Google' })),
    { problems: [{ name: 'OIDC_PROVIDERS', expected: 'each name once' }] },
  )
  t.match(
    errorOf(() => readConfig({ OIDC_PROVIDERS: 'acme', OIDC_ACME_ISSUER: 'acme', OIDC_ACME_CLIENT_ID: 'x' })),
    {
      problems: [
        { name: 'OIDC_ACME_ISSUER', expected: /^an address/ },
        { name: 'OIDC_ACME_CLIENT_SECRET', expected: 'a value, because OIDC_PROVIDERS is set' },
      ],
    },
  )
})

t.test('Stripe needs the secret of its webhook', async t => {
  t.same(problems({ STRIPE_SECRET_KEY: 'sk_test_1' }), ['STRIPE_WEBHOOK_SECRET'])
})

t.test('the operator sees every setting and no secret', t => {
  const secrets = { SMTP_URL: 'smtp://user:hunter2@localhost', SMTP_FROM: 'alerts@example.com', ...GOOGLE }
  const shown = readConfig(secrets).inForce
  const missing = Object.keys(SETTINGS).filter(name => !shown.some(each => each.name === name))
  t.same(missing, [])
  t.notMatch(JSON.stringify(shown), /hunter2|"secret"/)
  t.end()
})

function errorOf(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}
