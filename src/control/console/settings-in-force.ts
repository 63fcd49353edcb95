/** The settings of the running service by the names of their variables, without secrets. */
import type { Config } from '../../settings/config.ts'

const MEGABYTE = 1024 * 1024
const SECRET = 'set, hidden'
const UNSET = ''

/** Each variable and its value as the service uses it; `''`: not set. */
export function settingsInForce(config: Config): [name: string, value: string][] {
  const { dashboard } = config
  const { stripe, lowBalanceWebhook, providers, operators, smtp } = dashboard
  const minutes = (ms: number) => String(ms / 60_000)
  const hidden = (isSet: boolean) => (isSet ? SECRET : UNSET)
  return [
    ['HOST', config.host],
    ['PORT', String(config.port)],
    ['CONTROL_PORT', String(config.controlPort)],
    ['DATA_DIR', config.dataDir],
    ['ACCOUNTS', hidden(config.accountsUrl !== null)],
    ['INDEX_FILE', config.indexFile],
    ['INDEX_URL', withoutQuery(config.indexUrl)],
    ['INDEX_PUBLIC_KEY', config.indexPublicKey === null ? UNSET : 'set'],
    ['INDEX_CHECK_SECONDS', String(config.indexCheckMs / 1000)],
    ['FLUSH_MS', String(config.flushMs)],
    ['HTTP_THREADS', String(config.httpThreads)],
    ['BULK_WORKERS', String(config.bulkWorkers)],
    ['FREE_ANSWERS_PER_MINUTE', String(config.freeAnswersPerMinute)],
    [
      'CONNECTIONS_PER_ADDRESS',
      config.connectionsPerAddress === 0 ? 'half of all' : String(config.connectionsPerAddress),
    ],
    ['TRUSTED_PROXIES', config.proxies.networks.join(', ')],
    ['TRUSTED_PROXIES_HEADER', config.proxies.header],
    ['LOG_LEVEL', config.logLevel],
    ['ANSWER_HEADERS', config.answerHeaders.join(', ')],
    ['REQUEST_LOG_MB', String(config.requestLogBytes / MEGABYTE)],
    ['TRACE_SHARE', String(config.traceShare)],
    ['PUBLIC_URL', config.publicUrl ?? UNSET],
    ['PUBLIC_API_URL', config.apiUrl ?? UNSET],
    ['OPERATORS', operators.join(', ')],
    ['DEVELOPMENT_SIGN_IN', dashboard.development ? '1' : '0'],
    ['SESSION_IDLE_MINUTES', minutes(dashboard.sessionIdleMs)],
    ['SESSION_MAX_MINUTES', minutes(dashboard.sessionMaxMs)],
    ['OIDC_PROVIDERS', providers.map(({ id }) => id).join(', ')],
    ...providers.flatMap(({ id, issuer, clientId }): [string, string][] => {
      const name = `OIDC_${id.toUpperCase()}`
      return [
        [`${name}_ISSUER`, issuer],
        [`${name}_CLIENT_ID`, clientId],
        [`${name}_CLIENT_SECRET`, SECRET],
      ]
    }),
    ['STRIPE_SECRET_KEY', hidden(stripe !== null)],
    ['STRIPE_WEBHOOK_SECRET', hidden(stripe !== null)],
    ['STRIPE_API_URL', stripe?.apiUrl ?? UNSET],
    ['STRIPE_TAX', stripe?.tax === true ? '1' : '0'],
    ['RECEIPT_SELLER', dashboard.seller.join('; ')],
    ['LOW_BALANCE_WEBHOOK_URL', withoutQuery(lowBalanceWebhook?.url)],
    ['LOW_BALANCE_WEBHOOK_SECRET', hidden(lowBalanceWebhook !== null)],
    ['SMTP_URL', hidden(smtp !== null)],
    ['SMTP_FROM', smtp?.from ?? UNSET],
    ['ALERT_PRIVATE_WEBHOOKS', dashboard.allowPrivateWebhooks ? '1' : '0'],
  ]
}

/** Many webhooks have their secret in the path: host only. */
function withoutQuery(url: string | null | undefined): string {
  return url == null ? UNSET : `${new URL(url).origin}/…`
}
