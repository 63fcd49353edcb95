/** One request with its retries: fetch, a time limit, and errors that say what to do. */
import { ERRORS } from '../errors.ts'
import { PostrieError, type PostrieErrorCode } from './postrie-error.ts'

/** How a client reaches the service. */
export interface TransportOptions {
  /** Address of the service, `https://postal.example.com`; a path before `/api` is kept. */
  baseUrl: string
  apiKey: string
  /** Most milliseconds that one attempt may take, its answer included. Default 10,000. */
  timeoutMs?: number
  /** How often a request that was answered 429 or 503 is sent again. Default 3. */
  retries?: number
  /** Longest wait before a retry, in milliseconds: when the service asks for more, the error is thrown. Default 60,000. */
  retryWaitMsMax?: number
  /** In place of the global `fetch`. */
  fetch?: typeof fetch
}

/** The first wait when the service does not say how long; each further one is twice as long. */
const BACKOFF_MS = 250
/** A wait is up to this share longer, so that clients that were turned away together do not come back together. */
const JITTER = 0.25
/** Beyond it a timer fires at once. */
const TIMER_MAX = 2 ** 31 - 1
const QUOTE_LENGTH = 120

/** Texts of 404 for what does not exist; another 404 means that the address is wrong. */
const NOT_FOUND: ReadonlySet<string> = new Set(
  Object.values(ERRORS)
    .filter(([status, text]) => status === 404 && text !== ERRORS.PATH_NOT_FOUND[1])
    .map(([, text]) => text),
)

const CODES: Readonly<Record<number, PostrieErrorCode>> = {
  400: 'invalid_request',
  401: 'invalid_key',
  402: 'insufficient_balance',
  403: 'not_allowed',
  404: 'wrong_address',
  405: 'wrong_address',
  413: 'invalid_request',
  429: 'rate_limited',
  503: 'unavailable',
}

interface ErrorBody {
  error: string
  message?: string
  currentBalance?: string
  retryAfter?: number
}

export type Post = ReturnType<typeof transport>

/** @throws TypeError when an option is missing or out of range */
export function transport(options: TransportOptions) {
  const { baseUrl, apiKey, timeoutMs = 10_000, retries = 3, retryWaitMsMax = 60_000 } = options
  const base = parsedBase(baseUrl)
  if (typeof apiKey !== 'string' || apiKey === '')
    throw new TypeError('apiKey is empty: create a key in the dashboard, or with `postrie key create`')
  for (const [name, value] of Object.entries({ timeoutMs, retries, retryWaitMsMax }))
    if (!(Number.isInteger(value) && value >= 0 && value <= TIMER_MAX))
      throw new TypeError(`${name} is ${value}, a whole number from 0 to ${TIMER_MAX} expected`)
  const fetching = options.fetch ?? globalThis.fetch.bind(globalThis)

  const bodyOf = (path: string, fields: object): string => {
    try {
      return JSON.stringify({ ...fields, apiKey })
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new PostrieError('invalid_request', `${path}: the fields are no JSON: ${why}`, { cause: error })
    }
  }

  const attempt = async (path: string, body: string, signal: AbortSignal | undefined) => {
    signal?.throwIfAborted()
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetching.call(undefined, new URL(path, base), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body,
        // The body carries the key, which belongs to this address alone.
        redirect: 'error',
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      })
      return {
        status: response.status,
        header: response.headers.get('Retry-After') ?? undefined,
        text: await response.text(),
      }
    } catch (error) {
      signal?.throwIfAborted()
      const cause = { cause: error }
      if (timeout.aborted)
        throw new PostrieError('timeout', `${path}: no whole answer within ${timeoutMs} ms`, cause)
      const reason = error instanceof Error ? (error.cause ?? error) : error
      const why = reason instanceof Error ? reason.message : String(reason)
      throw new PostrieError('network', `${path}: ${base.origin} cannot be asked: ${why}`, cause)
    }
  }

  /** How long to wait before the next attempt; undefined: there is none. */
  const waitMsOf = (status: number, retryAfter: string | number | undefined, attempts: number) => {
    if (attempts >= retries || (status !== 429 && status !== 503)) return undefined
    const seconds = secondsOf(retryAfter)
    // A batch larger than its limit is answered without one: it can never pass.
    if (status === 429 && seconds === undefined) return undefined
    const waitMs = seconds === undefined ? BACKOFF_MS * 2 ** attempts : seconds * 1000
    return waitMs > retryWaitMsMax ? undefined : waitMs * (1 + JITTER * Math.random())
  }

  /** Returns the answer of `path`, or undefined for what does not exist. @throws PostrieError, or the reason of `signal` */
  return async <T extends object>(
    path: string,
    fields: object,
    signal: AbortSignal | undefined,
  ): Promise<T | undefined> => {
    const body = bodyOf(path, fields)
    for (let attempts = 0; ; attempts++) {
      const { status, header, text } = await attempt(path, body, signal)
      if (status === 200) return parsedAnswer<T>(text, path)
      const error = parsedError(text)
      if (status === 404 && error !== undefined && NOT_FOUND.has(error.error)) return undefined
      const waitMs = waitMsOf(status, header ?? error?.retryAfter, attempts)
      if (waitMs === undefined) throw errorOf(status, error, header, path, text)
      await sleep(waitMs, signal)
    }
  }
}

function parsedBase(baseUrl: string): URL {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (base === undefined || !/^https?:$/.test(base.protocol))
    throw new TypeError(
      `baseUrl is ${JSON.stringify(baseUrl)}, an address such as https://postal.example.com expected`,
    )
  // `fetch` refuses them, in a message with the password.
  if (base.username !== '' || base.password !== '')
    throw new TypeError('baseUrl has a user name or password: the service takes the key of an account alone')
  base.search = base.hash = ''
  if (!base.pathname.endsWith('/')) base.pathname += '/'
  return base
}

/** Seconds of a `Retry-After` header or field; undefined when it does not say. */
function secondsOf(value: string | number | undefined): number | undefined {
  if (value === undefined || value === '') return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const dateMs = Date.parse(String(value))
  return Number.isNaN(dateMs) ? undefined : Math.max(0, (dateMs - Date.now()) / 1000)
}

function parsedObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

function parsedAnswer<T extends object>(text: string, path: string): T {
  const answer = parsedObject(text)
  if (answer !== undefined) return answer as T
  throw new PostrieError(
    'bad_response',
    `${path}: a JSON object expected, ${JSON.stringify(text.slice(0, QUOTE_LENGTH))} found`,
    { status: 200 },
  )
}

function parsedError(text: string): ErrorBody | undefined {
  const body = parsedObject(text)
  return typeof body?.error === 'string' ? (body as unknown as ErrorBody) : undefined
}

function errorOf(
  status: number,
  body: ErrorBody | undefined,
  header: string | undefined,
  path: string,
  text: string,
): PostrieError {
  const said = body === undefined ? JSON.stringify(text.slice(0, QUOTE_LENGTH)) : body.error
  const more = typeof body?.message === 'string' ? `: ${body.message}` : ''
  return new PostrieError(CODES[status] ?? 'server_error', `${path}: ${status} ${said}${more}`, {
    status,
    retryAfterSeconds: secondsOf(header ?? body?.retryAfter),
    currentBalance: typeof body?.currentBalance === 'string' ? body.currentBalance : undefined,
  })
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
