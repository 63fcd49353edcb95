/** The table of settings. Validation, docs/settings.md and the console's page of settings derive from it. */
import { availableParallelism } from 'node:os'
import { TRUSTED_PROXIES_MAX } from '../forwarded.ts'
import {
  ACCOUNTS_MAX_DEFAULT,
  FLUSH_MS_DEFAULT,
  HTTP_THREADS_MAX,
  KEYS_MAX_DEFAULT,
  SLOTS_SETTING_MAX,
} from '../limits.ts'
import { MEGABYTE, memoryBytes } from '../memory.ts'
import { networkText, parseNetwork } from '../networks.ts'
import {
  databaseUrl,
  flag,
  group,
  hidden,
  integer,
  list,
  NOT_REPEATED,
  oneOf,
  publicKey,
  type Setting,
  secret,
  secretUrl,
  setting,
  share,
  text,
  url,
  WrongSetting,
} from './setting.ts'

/** Milliseconds between flushes on a machine of FEW_CORES, where syncs would take a tenth of the requests. */
const FLUSH_MS_FEW_CORES = 50
/** Number of cores up to which FLUSH_MS_FEW_CORES holds. */
const FEW_CORES = 2
const INDEX_CHECK_SECONDS_DEFAULT = 60
/** Default memory of the request logs of all accounts: 170,000 requests. */
const REQUEST_LOG_MB_DEFAULT = 64
const REQUEST_LOG_MB_MAX = 1024
/** Maximum number of email addresses in the setting of operators. */
const OPERATORS_MAX = 100

export const ANSWER_HEADERS = ['request-id', 'index-build'] as const
export type AnswerHeader = (typeof ANSWER_HEADERS)[number]

const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const

/** 30 days. */
const SESSION_MINUTES_MAX = 43_200
const RECEIPT_LINES_MAX = 100
const PROVIDERS_MAX = 100
/** Maximum number of origins whose pages may call the API. */
const CORS_ORIGINS_MAX = 100
const CORES = availableParallelism()
/** Maximum number of server threads here. Only Linux distributes connections of a port to threads. */
const THREADS_MAX = process.platform === 'linux' ? HTTP_THREADS_MAX : 1
/** Maximum number of threads of a build. More have no country to build. */
const BUILD_THREADS_MAX = 64
const THREADED_BUILD_BYTES = 4096 * MEGABYTE
const EVERYBODY = ['0.0.0.0/0', '::/0']

const port = integer(0, 65_535)

const SIGN_IN = 'Dashboard and sign-in'

/** Settings of a process that serves. */
export const SETTINGS = {
  ...group('Addresses and data', {
    HOST: setting(text, {
      fallback: '127.0.0.1',
      meaning: 'IP address that the API and the dashboard listen on.',
      risk: 'Keys and cookies cross the network in the clear, unless a proxy adds TLS.',
    }),
    PORT: setting(port, { fallback: 8080, meaning: 'Port of the API. 0: any free port.' }),
    CONTROL_PORT: setting(port, {
      fallback: 8081,
      meaning: 'Port of the dashboard and the metrics. 0: any free port.',
    }),
    DATA_DIR: setting(text, {
      fallback: './data',
      meaning:
        'Folder of the ledger, the meter, the socket and the index. Refused if every user may write to it.',
      risk: 'Another folder is another ledger, with other accounts, keys and balances.',
    }),
    ACCOUNTS: setting(databaseUrl, {
      meaning: 'PostgreSQL of a fleet, postgres://…. If unset, the accounts are in DATA_DIR.',
      page: 'fleet.md',
      risk: 'Another database has other accounts, keys and balances.',
    }),
  }),
  ...group('Index', {
    INDEX_FILE: setting(text, {
      meaning: 'File of the index. A new file there is verified and served.',
      shownFallback: 'index.postrie in DATA_DIR',
    }),
    INDEX_URL: setting(secretUrl, {
      meaning: 'URL of index.json, the manifest of a published index.',
      page: 'operating.md#an-index-for-many-servers',
    }),
    INDEX_PUBLIC_KEY: setting(publicKey, {
      meaning: 'PEM file of the public key that verifies the manifest.',
    }),
    INDEX_CHECK_SECONDS: setting(integer(1, 86_400), {
      fallback: INDEX_CHECK_SECONDS_DEFAULT,
      meaning: 'Seconds between two requests for the manifest.',
    }),
    BUILD_THREADS: setting(integer(1, BUILD_THREADS_MAX), {
      fallback: memoryBytes() < THREADED_BUILD_BYTES ? 1 : Math.min(4, CORES),
      meaning: 'Threads that build an index. Each takes the memory of the country that it builds.',
      shownFallback: 'cores, at most 4, or 1 below 4 GB of memory',
    }),
  }),
  ...group('Capacity', {
    FLUSH_MS: setting(integer(1, 1000), {
      fallback: CORES <= FEW_CORES ? FLUSH_MS_FEW_CORES : FLUSH_MS_DEFAULT,
      meaning:
        'Milliseconds between two syncs of usage. A power cut loses at most the charges of this time and of the sync in progress.',
      shownFallback: `${FLUSH_MS_DEFAULT}, or ${FLUSH_MS_FEW_CORES} on one or two cores`,
    }),
    ACCOUNTS_MAX: setting(integer(1, SLOTS_SETTING_MAX), {
      fallback: ACCOUNTS_MAX_DEFAULT,
      meaning:
        'Maximum number of accounts. Address space is reserved for all, memory is used only by existing ones.',
    }),
    KEYS_MAX: setting(integer(1, SLOTS_SETTING_MAX), {
      fallback: KEYS_MAX_DEFAULT,
      meaning: 'Maximum number of keys, revoked ones included.',
    }),
    HTTP_THREADS: setting(integer(1, THREADS_MAX), {
      fallback: Math.min(Math.max(1, CORES - 1), THREADS_MAX),
      meaning: `Threads that answer the API, up to ${HTTP_THREADS_MAX}. More than one only on Linux.`,
      shownFallback: 'cores less one',
    }),
    BULK_WORKERS: setting(integer(0, 64), {
      fallback: Math.min(4, CORES),
      meaning:
        'Threads for large bulk requests, lists and slow searches. With 0, the server threads answer them.',
      shownFallback: 'cores, at most 4',
    }),
  }),
  ...group('API and logs', {
    TRUSTED_PROXIES: setting(list(proxy, TRUSTED_PROXIES_MAX), {
      meaning: 'IP addresses or networks of proxies, separated by commas, such as 127.0.0.1,10.0.0.0/8.',
      page: 'operating.md#proxies',
      risk: 'A client there can claim any IP address.',
    }),
    LOG_LEVEL: setting(oneOf(LOG_LEVELS), { fallback: 'info', meaning: `One of ${LOG_LEVELS.join(' ')}.` }),
    ANSWER_HEADERS: setting(list(answerHeader, ANSWER_HEADERS.length), {
      meaning: 'Headers of every answer, separated by commas.',
      page: 'operating.md#request-ids-and-other-headers',
    }),
    CORS_ORIGINS: setting(list(origin, CORS_ORIGINS_MAX), {
      meaning:
        'Origins of web pages that may call the API, such as https://app.example.com, separated by commas. *: all.',
      page: 'operating.md#web-pages',
      risk: 'A key in a web page is read by everybody who opens the page.',
    }),
    REQUEST_LOG_MB: setting(integer(0, REQUEST_LOG_MB_MAX), {
      fallback: REQUEST_LOG_MB_DEFAULT,
      meaning: 'Memory for the requests that customers see. 0: none.',
      page: 'operating.md#what-customers-see-of-their-requests',
    }),
    TRACE_SHARE: setting(share, {
      fallback: 0,
      meaning: 'Share of requests that are traced, 0 to 1.',
      page: 'operating.md#traces',
    }),
  }),
  ...group(SIGN_IN, {
    PUBLIC_URL: setting(url, { meaning: 'URL of the dashboard as browsers see it.' }),
    PUBLIC_API_URL: setting(url, { meaning: 'URL of the API as programs see it, for examples.' }),
    OPERATORS: setting(list(email, OPERATORS_MAX), {
      meaning: 'Email addresses of the users of /operator.',
      risk: 'They can credit, refund and close every account.',
    }),
    SUPPORT_ADDRESS: setting(
      { read: support },
      { meaning: 'Contact for customers: an email address or a URL.' },
    ),
    SESSION_IDLE_MINUTES: setting(integer(1, 10_080), {
      fallback: 120,
      meaning: 'Minutes that a session lasts without a request.',
    }),
    SESSION_MAX_MINUTES: setting(integer(1, SESSION_MINUTES_MAX), {
      fallback: 1440,
      meaning: 'Minutes that a session lasts.',
    }),
    OIDC_PROVIDERS: setting(list(providerId, PROVIDERS_MAX), {
      meaning: 'Names of identity providers, such as google,acme.',
      risk: 'A provider that does not verify email addresses lets strangers into accounts.',
    }),
  }),
  ...group('Payments', {
    STRIPE_SECRET_KEY: setting(secret, { meaning: 'Secret key for Stripe payments.' }),
    STRIPE_WEBHOOK_SECRET: setting(secret, { meaning: 'Secret of the webhook that Stripe calls.' }),
    STRIPE_API_URL: setting(url, {
      meaning: "Another URL of Stripe's API, for tests.",
      risk: 'Whoever answers there decides what has been paid.',
    }),
    STRIPE_TAX: setting(flag, { fallback: 0, meaning: '1 lets Stripe add tax.' }),
    RECEIPT_SELLER: setting(
      list(line => line, RECEIPT_LINES_MAX, ';'),
      { meaning: 'Name, postal address and tax number on receipts, separated by semicolons.' },
    ),
  }),
  ...group('Alerts', {
    LOW_BALANCE_WEBHOOK_URL: setting(secretUrl, {
      meaning: 'URL that gets a message when a balance falls below its threshold.',
    }),
    LOW_BALANCE_WEBHOOK_SECRET: setting(secret, { meaning: 'Key that signs these messages.' }),
    SMTP_URL: setting(
      { read: smtp, show: hidden },
      { meaning: 'Mail server for alerts: smtp://name:password@host:587 or smtps://….' },
    ),
    SMTP_FROM: setting(
      { read: sender },
      { meaning: 'Sender of emails, such as Postal codes <alerts@example.com>.' },
    ),
    ALERT_PRIVATE_WEBHOOKS: setting(flag, {
      fallback: 0,
      meaning: '1 allows alerts to private IP addresses.',
      risk: 'Customers can reach services in the network of this server.',
    }),
  }),
} as const satisfies Record<string, Setting<unknown>>

export type SettingName = keyof typeof SETTINGS
export type SettingValues = { [Name in SettingName]: ReturnType<(typeof SETTINGS)[Name]['read']> }

/** Settings of the identity provider `ID`: `OIDC_<ID>_…`. */
export const PROVIDER_SETTINGS = group(SIGN_IN, {
  ISSUER: setting(url, { meaning: 'URL of the provider.' }),
  CLIENT_ID: setting(text, { meaning: 'Name of this service at the provider.' }),
  CLIENT_SECRET: setting(secret, { meaning: 'Secret of this service at the provider.' }),
  LABEL: setting(text, { meaning: 'Name on the button of the sign-in.' }),
})

const BUILDER_SETTINGS = new Set(['DATA_DIR', 'INDEX_FILE', 'BUILD_THREADS', 'LOG_LEVEL'])
/** Settings of providers and of other commands, and variables of PostgreSQL. */
const OTHER_SETTINGS = /^(?:OIDC_|POSTRIE_|PG)/

/** Returns the builder's environment, without secrets: it runs code of dozens of data packages. */
export function builderEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isSetting = (name: string) => Object.hasOwn(SETTINGS, name) || OTHER_SETTINGS.test(name)
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => BUILDER_SETTINGS.has(name) || !isSetting(name)),
  )
}

function proxy(item: string): string {
  const network = parseNetwork(item)
  const shown = network && networkText(network)
  if (shown === null)
    throw new WrongSetting('addresses or networks such as 10.0.0.0/8, separated by commas', item)
  if (EVERYBODY.includes(shown))
    throw new WrongSetting('only proxies, because a trusted client can claim any address', item)
  return shown
}

function origin(item: string): string {
  const isOrigin = URL.canParse(item) && new URL(item).origin === item && !item.includes('*')
  if (item === '*' || isOrigin) return item
  throw new WrongSetting('origins such as https://app.example.com, separated by commas, or *', item)
}

function answerHeader(item: string): AnswerHeader {
  const found = ANSWER_HEADERS.find(header => header === item.toLowerCase())
  if (found !== undefined) return found
  throw new WrongSetting(`names out of ${ANSWER_HEADERS.join(', ')}, separated by commas`, item)
}

function email(item: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(item)) throw new WrongSetting('email addresses, separated by commas', item)
  return item.toLowerCase()
}

function support(value: string): string {
  if (/^$|^https?:\/\/\S+$|^[^\s@:/]+@[^\s@]+$/.test(value)) return value
  throw new WrongSetting('an email address or a URL')
}

function providerId(item: string): string {
  const id = item.toLowerCase()
  if (/^[a-z][a-z0-9]{0,31}$/.test(id)) return id
  throw new WrongSetting('names of letters and digits, separated by commas', item)
}

function sender(value: string): string {
  if (value === '' || /^([^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(value)) return value
  throw new WrongSetting('an address such as alerts@example.com, or Postal codes <alerts@example.com>')
}

function smtp(value: string): URL | null {
  if (value === '') return null
  const isOne = /^smtps?:\/\/[^/]/.test(value) && URL.canParse(value) && !/%(?![0-9a-f]{2})/i.test(value)
  if (isOne) return new URL(value)
  throw new WrongSetting('smtp://name:password@host:587 or smtps://name:password@host', NOT_REPEATED)
}
