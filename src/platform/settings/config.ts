/** Reads the settings of the service from environment variables, and checks them together. */
import { join, resolve } from 'node:path'
import { MEGABYTE } from '../memory.ts'
import { MINUTE_MS, SECOND_MS } from '../time.ts'
import { SettingReader } from './setting.ts'
import { PROVIDER_SETTINGS, SETTINGS, type SettingName, type SettingValues } from './settings.ts'

/** Settings with absolute paths; null for an unset one. */
export type Config = ReturnType<typeof readConfig>
type DashboardSettings = Config['dashboard']
/** Registration of this dashboard with an identity provider. */
export type ProviderSettings = DashboardSettings['providers'][number]
export type StripeSettings = NonNullable<DashboardSettings['stripe']>
export type SmtpSettings = NonNullable<DashboardSettings['smtp']>

/** Reads the settings of `env`. Relative paths start here. @throws EnvError with every wrong setting */
export function readConfig(env: NodeJS.ProcessEnv) {
  const reader = new SettingReader(env)
  const names = Object.keys(SETTINGS) as SettingName[]
  const values = Object.fromEntries(
    names.map(name => [name, reader.read<unknown>(name, SETTINGS[name])]),
  ) as SettingValues
  const dataDir = resolve(values.DATA_DIR)
  const indexFile = resolve(values.INDEX_FILE || join(dataDir, 'index.postrie'))
  const dashboard = dashboardOf(reader, values)
  checkTogether(reader, values, dashboard.providers)
  const resolved: Readonly<Record<string, string>> = {
    DATA_DIR: dataDir,
    INDEX_FILE: indexFile,
  }
  reader.finish()
  return {
    host: values.HOST,
    port: values.PORT,
    controlPort: values.CONTROL_PORT,
    dataDir,
    /** Address of the fleet's database; null if this process keeps the accounts in its ledger. */
    accountsUrl: values.ACCOUNTS,
    indexFile,
    indexUrl: values.INDEX_URL,
    indexPublicKey: values.INDEX_PUBLIC_KEY,
    buildThreads: values.BUILD_THREADS,
    indexCheckMs: values.INDEX_CHECK_SECONDS * SECOND_MS,
    socketFile: join(dataDir, 'control.sock'),
    flushMs: values.FLUSH_MS,
    accountsMax: values.ACCOUNTS_MAX,
    keysMax: values.KEYS_MAX,
    httpThreads: values.HTTP_THREADS,
    /** Number of threads for bulk and other long requests; with 0, the server threads answer them. */
    bulkWorkers: values.BULK_WORKERS,
    trustedProxies: values.TRUSTED_PROXIES,
    logLevel: values.LOG_LEVEL,
    answerHeaders: values.ANSWER_HEADERS,
    corsOrigins: values.CORS_ORIGINS,
    requestLogBytes: values.REQUEST_LOG_MB * MEGABYTE,
    traceShare: values.TRACE_SHARE,
    publicUrl: values.PUBLIC_URL,
    /** Public address of the API; null for the address that the server listens on. */
    apiUrl: values.PUBLIC_API_URL,
    dashboard,
    inForce: Array.from(reader.inForce, ([name, shown]) => ({
      name,
      ...shown,
      value: resolved[name] ?? shown.value,
    })),
  }
}

function checkTogether(
  reader: SettingReader,
  values: SettingValues,
  providers: readonly ProviderSettings[],
): void {
  const { HOST, PORT, CONTROL_PORT, INDEX_URL, INDEX_PUBLIC_KEY, PUBLIC_URL } = values
  if (PORT !== 0 && PORT === CONTROL_PORT)
    reader.problem('CONTROL_PORT', String(CONTROL_PORT), 'another port than PORT')
  if (isClear(INDEX_URL) && INDEX_PUBLIC_KEY === null)
    reader.problem(
      'INDEX_URL',
      INDEX_URL ?? '',
      'https://, or INDEX_PUBLIC_KEY as well, because anybody on the network could change it',
    )
  if (PUBLIC_URL?.startsWith('http://') && !isLocal(values))
    reader.problem(
      'PUBLIC_URL',
      PUBLIC_URL,
      'https://, because session cookies must not cross a network in the clear',
    )
  if (PUBLIC_URL !== null && !isOrigin(new URL(PUBLIC_URL)))
    reader.problem(
      'PUBLIC_URL',
      PUBLIC_URL,
      'only scheme, host and port, because the dashboard needs a host of its own',
    )
  for (const { id, issuer } of providers)
    if (isClear(issuer))
      reader.problem(
        `OIDC_${id.toUpperCase()}_ISSUER`,
        issuer,
        'https://, because its client secret must not cross a network in the clear',
      )
  if (providers.length > 0 && PUBLIC_URL === null && !isLoopback(HOST))
    reader.problem('PUBLIC_URL', '', 'the address that identity providers send browsers back to')
}

function dashboardOf(reader: SettingReader, values: SettingValues) {
  const required = (name: string, value: string, by: string) => {
    const isReported = reader.problems.some(problem => problem.name === name)
    if (value === '' && !isReported) reader.problem(name, '', `a value, because ${by} is set`)
    return value
  }
  const providers = values.OIDC_PROVIDERS.map(id => providerOf(reader, id, required))
  for (const [at, { id }] of providers.entries())
    if (values.OIDC_PROVIDERS.indexOf(id) !== at) reader.problem('OIDC_PROVIDERS', id, 'each name once')
  const { STRIPE_SECRET_KEY: secretKey, LOW_BALANCE_WEBHOOK_URL: webhookUrl, SMTP_URL: smtpUrl } = values
  const stripe =
    secretKey === ''
      ? null
      : {
          secretKey,
          webhookSecret: required('STRIPE_WEBHOOK_SECRET', values.STRIPE_WEBHOOK_SECRET, 'STRIPE_SECRET_KEY'),
          apiUrl: values.STRIPE_API_URL,
          tax: values.STRIPE_TAX,
        }
  const lowBalanceWebhook = webhookUrl && {
    url: webhookUrl,
    secret: required(
      'LOW_BALANCE_WEBHOOK_SECRET',
      values.LOW_BALANCE_WEBHOOK_SECRET,
      'LOW_BALANCE_WEBHOOK_URL',
    ),
  }
  return {
    providers,
    /** True for sign-in by printed tokens, and test payments. */
    hasTokens: isLocal(values) && providers.length === 0,
    stripe,
    seller: values.RECEIPT_SELLER,
    support: values.SUPPORT_ADDRESS,
    operators: values.OPERATORS,
    lowBalanceWebhook: lowBalanceWebhook || null,
    smtp: smtpUrl && smtpOf(smtpUrl, required('SMTP_FROM', values.SMTP_FROM, 'SMTP_URL')),
    allowPrivateWebhooks: values.ALERT_PRIVATE_WEBHOOKS,
    sessionIdleMs: values.SESSION_IDLE_MINUTES * MINUTE_MS,
    sessionMaxMs: values.SESSION_MAX_MINUTES * MINUTE_MS,
  }
}

/** Reads `OIDC_GOOGLE_ISSUER`, `_CLIENT_ID`, `_CLIENT_SECRET` and `_LABEL` for the id `google`. */
function providerOf(
  reader: SettingReader,
  id: string,
  required: (name: string, value: string, by: string) => string,
) {
  const read = (setting: keyof typeof PROVIDER_SETTINGS) =>
    reader.read<string | null>(`OIDC_${id.toUpperCase()}_${setting}`, PROVIDER_SETTINGS[setting]) ?? ''
  const needed = (setting: keyof typeof PROVIDER_SETTINGS) =>
    required(`OIDC_${id.toUpperCase()}_${setting}`, read(setting), 'OIDC_PROVIDERS')
  return {
    id,
    issuer: needed('ISSUER'),
    clientId: needed('CLIENT_ID'),
    clientSecret: needed('CLIENT_SECRET'),
    label: `Continue with ${read('LABEL') || `${id[0].toUpperCase()}${id.slice(1)}`}`,
  }
}

function smtpOf({ protocol, hostname, port, username, password }: URL, from: string) {
  const isSecure = protocol === 'smtps:'
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    /** True for TLS from the first byte. Otherwise STARTTLS is required, except on this machine. */
    isSecure,
    login:
      username === '' ? null : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    from,
    /** True for a mail server on this machine, which may get passwords in the clear. */
    isLocal: isLoopback(hostname),
  }
}

function isLocal({ HOST, PUBLIC_URL }: SettingValues): boolean {
  return isLoopback(HOST) && (PUBLIC_URL === null || isLoopback(new URL(PUBLIC_URL).hostname))
}

/** True for an address with answers that anybody on the network could change. */
function isClear(url: string | null): boolean {
  return url?.startsWith('http://') === true && !isLoopback(new URL(url).hostname)
}

function isOrigin({ username, password, pathname, search, hash }: URL): boolean {
  return username + password + pathname + search + hash === '/'
}

/** True for a host name that only this machine can reach. Brackets of IPv6 are allowed. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(host)
}
