/** Settings of the dashboard: sign-in, payments, warnings. */
import { OPERATORS_MAX, SESSION_MS_MAX } from '../limits.ts'
import type { EnvReader } from './env.ts'

/** One identity provider, as the operator registered this dashboard with it. */
export interface ProviderSettings {
  /** Name in addresses: `google` in `/sign-in/google`. */
  id: string
  /** Words on the button: `Continue with Google`. */
  label: string
  issuer: string
  clientId: string
  clientSecret: string
}

export interface StripeSettings {
  secretKey: string
  webhookSecret: string
  /** Another address of Stripe's API, for tests; null: the real one. */
  apiUrl: string | null
  /** Whether Stripe computes taxes on top of payments. */
  tax: boolean
}

/** The server that sends email. */
export interface SmtpSettings {
  host: string
  port: number
  /** TLS from the first byte; otherwise after STARTTLS, which is required unless the server is on this machine. */
  isSecure: boolean
  /** Null where the server wants none. */
  login: { user: string; pass: string } | null
  /** The sender: `alerts@example.com`, or with a name before it. */
  from: string
  /** On this machine, where passwords may go in the clear. */
  isLocal: boolean
}

export interface DashboardSettings {
  providers: readonly ProviderSettings[]
  /** Sign-in and payment without any outside service. Only ever true on a loopback address. */
  development: boolean
  stripe: StripeSettings | null
  /** Name, address and tax number of the operator, as receipts have them; one line each. */
  seller: readonly string[]
  /** Email addresses, in lower case, of those who may open `/operator`, once a provider has vouched for them. */
  operators: readonly string[]
  /** Gets a signed message when a balance falls below the account's own threshold. */
  lowBalanceWebhook: { url: string; secret: string } | null
  /** Null: alerts are not sent by email. */
  smtp: SmtpSettings | null
  /** Whether customers may have alerts sent to private addresses and without encryption. */
  allowPrivateWebhooks: boolean
  sessionIdleMs: number
  sessionMaxMs: number
}

const MINUTE_MS = 60_000

export function readDashboardSettings(
  reader: EnvReader,
  host: string,
  publicUrl: string | null,
): DashboardSettings {
  const providers = readProviders(reader)
  const loopback = isLoopback(host) && (publicUrl === null || isLoopback(new URL(publicUrl).hostname))
  if (!loopback && publicUrl?.startsWith('http://')) {
    reader.problem(
      'PUBLIC_URL',
      publicUrl,
      'https://, since session cookies must not cross a network in the clear',
    )
  }
  if (publicUrl !== null && !isOrigin(new URL(publicUrl))) {
    reader.problem(
      'PUBLIC_URL',
      publicUrl,
      'scheme, host and port only, since the dashboard has a host of its own',
    )
  }
  for (const { id, issuer } of providers) {
    if (issuer.startsWith('http://') && !isLoopback(new URL(issuer).hostname)) {
      reader.problem(
        `OIDC_${id.toUpperCase()}_ISSUER`,
        issuer,
        'https://, since its client secret must not cross a network in the clear',
      )
    }
  }
  if (providers.length > 0 && publicUrl === null && !isLoopback(host)) {
    reader.problem('PUBLIC_URL', '', 'the address to which identity providers send browsers back')
  }
  return {
    providers,
    development: readDevelopment(reader, loopback, providers.length === 0),
    stripe: readStripe(reader),
    seller: reader
      .text('RECEIPT_SELLER', '')
      .split(';')
      .map(line => line.trim())
      .filter(line => line !== ''),
    operators: readOperators(reader),
    lowBalanceWebhook: readWebhook(reader),
    smtp: readSmtp(reader),
    allowPrivateWebhooks: reader.flag('ALERT_PRIVATE_WEBHOOKS', false),
    sessionIdleMs: reader.integer('SESSION_IDLE_MINUTES', 120, 1, 10_080) * MINUTE_MS,
    sessionMaxMs: reader.integer('SESSION_MAX_MINUTES', 1440, 1, SESSION_MS_MAX / MINUTE_MS) * MINUTE_MS,
  }
}

/** `OIDC_PROVIDERS=google,acme`, then `OIDC_GOOGLE_ISSUER`, `_CLIENT_ID`, `_CLIENT_SECRET` and, optional, `_LABEL`. */
function readProviders(reader: EnvReader): ProviderSettings[] {
  const ids = reader
    .text('OIDC_PROVIDERS', '')
    .split(',')
    .map(id => id.trim())
    .filter(id => id !== '')
  return ids.map((text, at) => {
    const id = text.toLowerCase()
    if (ids.findIndex(each => each.toLowerCase() === id) !== at)
      reader.problem('OIDC_PROVIDERS', text, 'each name once')
    if (!/^[a-z][a-z0-9]{0,31}$/.test(id))
      reader.problem('OIDC_PROVIDERS', text, 'names of letters and digits, separated by commas')
    const prefix = `OIDC_${id.toUpperCase()}`
    return {
      id,
      label: `Continue with ${reader.text(`${prefix}_LABEL`, id[0]?.toUpperCase() + id.slice(1))}`,
      issuer: readIssuer(reader, `${prefix}_ISSUER`),
      clientId: required(reader, `${prefix}_CLIENT_ID`, 'OIDC_PROVIDERS'),
      clientSecret: required(reader, `${prefix}_CLIENT_SECRET`, 'OIDC_PROVIDERS'),
    }
  })
}

/** One problem where the address is missing, and one where it is wrong. */
function readIssuer(reader: EnvReader, name: string): string {
  if (reader.text(name, '') === '') return missing(reader, name, 'OIDC_PROVIDERS')
  return reader.url(name) ?? ''
}

/** On by default where no provider is configured and only this machine can connect. */
function readDevelopment(reader: EnvReader, loopback: boolean, fallback: boolean): boolean {
  const wanted = reader.flag('DEVELOPMENT_SIGN_IN', loopback && fallback)
  if (wanted && !loopback) {
    reader.problem(
      'DEVELOPMENT_SIGN_IN',
      '1',
      '0 unless HOST and PUBLIC_URL are loopback: it lets whoever knows its token in as anybody',
    )
  }
  return wanted && loopback
}

/** `OPERATORS=ada@example.com,bob@example.com` */
function readOperators(reader: EnvReader): string[] {
  const emails = reader
    .text('OPERATORS', '')
    .split(',')
    .map(email => email.trim().toLowerCase())
    .filter(email => email !== '')
  for (const email of emails) {
    if (!/^[^\s@]+@[^\s@]+$/.test(email))
      reader.problem('OPERATORS', email, 'email addresses, separated by commas')
  }
  if (emails.length > OPERATORS_MAX)
    reader.problem('OPERATORS', `${emails.length} addresses`, `at most ${OPERATORS_MAX}`)
  return emails
}

function readStripe(reader: EnvReader): StripeSettings | null {
  const secretKey = reader.text('STRIPE_SECRET_KEY', '')
  const apiUrl = reader.url('STRIPE_API_URL')
  const tax = reader.flag('STRIPE_TAX', false)
  if (secretKey === '') return null
  return {
    secretKey,
    webhookSecret: required(reader, 'STRIPE_WEBHOOK_SECRET', 'STRIPE_SECRET_KEY'),
    apiUrl,
    tax,
  }
}

function readWebhook(reader: EnvReader): DashboardSettings['lowBalanceWebhook'] {
  const url = reader.url('LOW_BALANCE_WEBHOOK_URL')
  return url === null
    ? null
    : { url, secret: required(reader, 'LOW_BALANCE_WEBHOOK_SECRET', 'LOW_BALANCE_WEBHOOK_URL') }
}

function readSmtp(reader: EnvReader): SmtpSettings | null {
  const url = reader.text('SMTP_URL', '')
  if (url === '') return null
  const from = required(reader, 'SMTP_FROM', 'SMTP_URL')
  if (from !== '' && !/^([^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(from))
    reader.problem(
      'SMTP_FROM',
      from,
      'an address such as alerts@example.com, or Postal codes <alerts@example.com>',
    )
  if (!/^smtps?:\/\/[^/]/.test(url) || !URL.canParse(url) || /%(?![0-9a-f]{2})/i.test(url)) {
    reader.secretProblem('SMTP_URL', 'smtp://name:password@host:587 or smtps://name:password@host')
    return null
  }
  const { protocol, hostname, port, username, password } = new URL(url)
  const isSecure = protocol === 'smtps:'
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    isSecure,
    login:
      username === '' ? null : { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    from,
    isLocal: isLoopback(hostname),
  }
}

/** @param by the setting that makes it necessary */
function required(reader: EnvReader, name: string, by: string): string {
  return reader.text(name, '') || missing(reader, name, by)
}

function missing(reader: EnvReader, name: string, by: string): string {
  reader.problem(name, '', `a value, since ${by} is set`)
  return ''
}

/** True when an address has nothing but scheme, host and port. */
function isOrigin({ username, password, pathname, search, hash }: URL): boolean {
  return username + password + pathname + search + hash === '/'
}

/** True for a host name that only this machine can reach. Brackets of IPv6 are allowed. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(host)
}
