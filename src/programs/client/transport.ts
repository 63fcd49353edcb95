/** Sends one request with its time limit and retries. */
import { ERROR_STATUSES, ERRORS } from '../../service/errors.ts'
import { PostrieError, type PostrieErrorCode } from './postrie-error.ts'

export interface TransportOptions {
  /** Address of the service, `https://postal.example.com`; a path before `/api` is kept. */
  baseUrl: string
  apiKey: string
  /** Maximum milliseconds of one attempt, with its answer. Default 10,000. */
  timeoutMs?: number
  /** Maximum number of retries after 429, 503 or no connection. Default 3, at least 1.75 seconds. */
  retries?: number
  /** True to retry requests without an answer too. Some may be charged twice. */
  retryUnanswered?: boolean
  /** Longest wait before a retry, in milliseconds. A longer one is an error. Default 60,000. */
  retryWaitMsMax?: number
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch
}

/** Errors of Node.js, Bun and Deno before a request is sent. */
const NOT_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPROTO|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket|ERR_(TLS|SSL)_.*|UNABLE_TO_.*|.*CERT.*)$/
const NOT_SENT_MESSAGE = /client error \(Connect\)|before secure TLS connection was established/
/** First wait if the service names none. Each further wait is twice as long. */
const BACKOFF_MS = 250
/** Share of a wait that is added at random: clients refused together should not return together. */
const JITTER = 0.25
/** Maximum delay of a timer in milliseconds. A longer one fires at once. */
const TIMER_MAX = 2 ** 31 - 1
/** Maximum characters of an unexpected answer in a message. */
const QUOTE_LENGTH = 120

/** Texts of 404 for what the service does not have. Any other 404 means a wrong address. */
const NOT_FOUND: ReadonlySet<string> = new Set(
  Object.values(ERRORS)
    .filter(each => each.status === 404 && each !== ERRORS.PATH_NOT_FOUND)
    .map(({ text }) => text),
)

/** Codes by status. Other statuses are those of a proxy or another service. */
const CODES: Readonly<Record<number, PostrieErrorCode>> = Object.fromEntries(
  Object.entries(ERROR_STATUSES).map(([status, { clientCode }]) => [status, clientCode]),
)

/** A body with an error. Its other fields may be missing or malformed. */
interface ErrorBody {
  error: string
  [field: string]: unknown
}

export type SendRequest = ReturnType<typeof createPost>

/** Returns a function that sends requests. @throws TypeError if an option is missing or out of range */
export function createPost(options: TransportOptions) {
  const { baseUrl, apiKey, timeoutMs = 10_000, retries = 3, retryWaitMsMax = 60_000 } = options
  const base = parseBase(baseUrl)
  if (typeof apiKey !== 'string' || apiKey === '')
    throw new TypeError('apiKey is empty: create a key in the dashboard, or with `postrie key create`')
  for (const [name, value] of Object.entries({ timeoutMs, retries, retryWaitMsMax }))
    if (!(Number.isInteger(value) && value >= 0 && value <= TIMER_MAX))
      throw new TypeError(`${name} is ${value}: give a whole number from 0 to ${TIMER_MAX}`)
  const retried: ReadonlySet<PostrieErrorCode> = new Set(
    options.retryUnanswered === true ? ['unreachable', 'network', 'timeout'] : ['unreachable'],
  )
  const backoffMs = (attempts: number) => Math.min(retryWaitMsMax, BACKOFF_MS * 2 ** attempts) * jitter()
  const fetchResponse = options.fetch ?? globalThis.fetch.bind(globalThis)

  const bodyOf = (path: string, fields: object): string => {
    try {
      return JSON.stringify({ ...fields, apiKey })
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new PostrieError('invalid_request', `${path}: the fields cannot be written as JSON: ${why}`, {
        cause: error,
      })
    }
  }

  const attempt = async (path: string, body: string, signal: AbortSignal | undefined) => {
    signal?.throwIfAborted()
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetchResponse.call(undefined, new URL(path, base), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
        // The body has the key, which must not reach another address.
        redirect: 'manual',
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      })
      return {
        status: response.status,
        header: response.headers.get('Retry-After') ?? undefined,
        location: response.headers.get('Location') ?? undefined,
        text: await response.text(),
      }
    } catch (error) {
      signal?.throwIfAborted()
      const cause = { cause: error }
      if (timeout.aborted)
        throw new PostrieError('timeout', `${path}: no complete answer within ${timeoutMs} ms`, cause)
      const reason = error instanceof Error ? (error.cause ?? error) : error
      const why = reason instanceof Error ? reason.message : String(reason)
      if (wasNotSent(reason))
        throw new PostrieError('unreachable', `${path}: ${base.origin} cannot be reached: ${why}`, cause)
      throw new PostrieError(
        'network',
        `${path}: the connection to ${base.origin} broke before the answer: ${why}`,
        cause,
      )
    }
  }

  const waitMsOf = (status: number, retryAfter: unknown, attempts: number) => {
    if (attempts >= retries) return undefined
    const seconds = secondsOf(retryAfter)
    // A batch larger than its limit can never pass, and is answered without a wait.
    if (status === 429 && seconds === undefined) return undefined
    const waitMs = seconds === undefined ? backoffMs(attempts) : seconds * 1000 * jitter()
    return seconds !== undefined && seconds * 1000 > retryWaitMsMax ? undefined : waitMs
  }

  /** Returns the answer; undefined if the code, city or country does not exist. @throws PostrieError */
  return async <T extends object>(
    path: string,
    fields: object,
    signal: AbortSignal | undefined,
  ): Promise<T | undefined> => {
    const body = bodyOf(path, fields)
    for (let attempts = 0; ; attempts++) {
      const found = await attempt(path, body, signal).catch((error: unknown) => {
        if (error instanceof PostrieError && attempts < retries && retried.has(error.code)) return undefined
        throw error
      })
      if (found === undefined) {
        await sleep(backoffMs(attempts), signal)
        continue
      }
      const { status, header, location, text } = found
      if (status === 200) return parseAnswer<T>(text, path)
      // A browser hides the status of a redirect.
      if (status === 0 || (status >= 300 && status < 400))
        throw new PostrieError(
          'wrong_address',
          `${path}: ${base.origin} redirects to ${location ?? 'another address'}: give that address as baseUrl`,
          { status },
        )
      const error = parseError(text)
      if (status === 404 && error !== undefined && NOT_FOUND.has(error.error)) return undefined
      const isRetried = status === 429 || status === 503
      const waitMs = isRetried ? waitMsOf(status, header ?? error?.retryAfter, attempts) : undefined
      if (waitMs === undefined) throw errorOf(status, error, header, path, text)
      await sleep(waitMs, signal)
    }
  }
}

function jitter(): number {
  return 1 + JITTER * Math.random()
}

/** Returns true if the request was not sent. One address may have failed after the other. */
function wasNotSent(reason: unknown): boolean {
  if (!(reason instanceof Error)) return false
  if (reason instanceof AggregateError && reason.errors.length > 0) return reason.errors.every(wasNotSent)
  const { code } = reason as { code?: unknown }
  return NOT_SENT.test(String(code)) || NOT_SENT_MESSAGE.test(reason.message)
}

function parseBase(baseUrl: string): URL {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (base === undefined || !/^https?:$/.test(base.protocol))
    throw new TypeError(
      `baseUrl is ${JSON.stringify(baseUrl)}: give an address such as https://postal.example.com`,
    )
  // `fetch` would refuse it with a message that shows the password.
  if (base.username !== '' || base.password !== '')
    throw new TypeError('baseUrl has a user name or password: remove it, the service takes only an API key')
  base.search = base.hash = ''
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  return base
}

/** Returns the seconds of a `Retry-After` header or field; undefined if it is missing or malformed. */
function secondsOf(value: unknown): number | undefined {
  if (value === undefined || value === '') return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const dateMs = Date.parse(String(value))
  return Number.isNaN(dateMs) ? undefined : Math.max(0, (dateMs - Date.now()) / 1000)
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

function parseAnswer<T extends object>(text: string, path: string): T {
  const answer = parseObject(text)
  // Every answer of the API has the balance.
  if (typeof answer?.balance === 'number') return answer as T
  throw new PostrieError(
    'bad_response',
    `${path}: expected an answer of this API, found ${JSON.stringify(text.slice(0, QUOTE_LENGTH))}`,
    { status: 200 },
  )
}

function parseError(text: string): ErrorBody | undefined {
  const body = parseObject(text)
  return typeof body?.error === 'string' ? (body as ErrorBody) : undefined
}

function errorOf(
  status: number,
  body: ErrorBody | undefined,
  header: string | undefined,
  path: string,
  text: string,
): PostrieError {
  const reason = body === undefined ? JSON.stringify(text.slice(0, QUOTE_LENGTH)) : body.error
  const detail = typeof body?.message === 'string' ? `: ${body.message.replace(/\.$/, '')}` : ''
  // A proxy or another service has no such body.
  const isOther = body === undefined && (status === 401 || status === 403)
  return new PostrieError(
    isOther ? 'bad_response' : (CODES[status] ?? 'server_error'),
    `${path}: ${status} ${reason}${detail}`,
    {
      status,
      retryAfterSeconds: secondsOf(header ?? body?.retryAfter),
      currentBalance: typeof body?.currentBalance === 'string' ? body.currentBalance : undefined,
    },
  )
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
