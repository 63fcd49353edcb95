/** Sends signed messages to webhooks, only at addresses on the Internet. */
import { createHmac, randomBytes } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from '../../platform/networks.ts'

/** Maximum time from the look-up of the name to the status of the answer. */
const SEND_MS_MAX = 10_000
const WEBHOOK_URL_LENGTH_MAX = 1024
const ANSWER_HEADER_BYTES_MAX = 16 * 1024
/** Maximum time of one query to a name server. */
const RESOLVE_MS_MAX = 3000

type Resolve = (host: string) => Promise<string[]>

interface WebhookRules {
  /** True to allow private addresses and http. */
  allowPrivate: boolean
  closing: AbortSignal
  resolve?: Resolve
}

/**
 * Sends a message. Resolves when the receiver answers 2xx. Follows no redirect, whose host is not checked.
 * Connects to the checked address, so that a name cannot change in between.
 * @throws Error with the reason, without private addresses
 */
export async function sendWebhook(
  { url: text, secret }: { url: string; secret: string },
  { id, body }: { id: string; body: string },
  { allowPrivate, closing, resolve = resolveHost }: WebhookRules,
): Promise<void> {
  const url = new URL(text)
  const host = hostOf(url)
  if (!allowPrivate && (url.protocol !== 'https:' || (isIP(host) !== 0 && !isPublicAddress(host))))
    throw new Error(`${url.origin} is not an https address on the Internet`)
  const status = await new Promise<number>((done, fail) => {
    const request = (url.protocol === 'https:' ? requestSecure : requestPlain)(url, {
      method: 'POST',
      agent: false,
      lookup: allowPrivate ? undefined : publicLookup(resolve),
      maxHeaderSize: ANSWER_HEADER_BYTES_MAX,
      signal: AbortSignal.any([AbortSignal.timeout(SEND_MS_MAX), closing]),
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        'User-Agent': 'postrie',
        'Postrie-Message': id,
        'Postrie-Signature': signature(body, secret),
      },
    })
    request.on('error', error =>
      fail(error.name === 'AbortError' ? new Error(`no answer within ${SEND_MS_MAX / 1000} seconds`) : error),
    )
    request.once('response', response => {
      done(response.statusCode ?? 0)
      // Its body is ignored, and may be endless.
      response.on('error', () => {}).destroy()
    })
    request.end(body)
  })
  if (status < 200 || status > 299) throw new Error(`the receiver answered ${status} instead of 2xx`)
}

function publicLookup(resolve: Resolve): LookupFunction {
  return (host, options, callback) => {
    const found = resolve(host).then(addresses => {
      const [first] = addresses
      if (first === undefined) throw new Error(`${host} has no address`)
      if (!addresses.every(isPublicAddress))
        throw new Error(`${host} has an address that is not on the Internet`)
      return { first, all: addresses.map(address => ({ address, family: isIP(address) })) }
    })
    found.then(
      ({ first, all }) => (options.all === true ? callback(null, all) : callback(null, first, isIP(first))),
      (error: Error) => callback(error, '', 0),
    )
  }
}

/** Resolves a name without the system's resolver, which blocks threads that sync the ledger. */
export async function resolveHost(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: RESOLVE_MS_MAX, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  return answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
}

/** Returns `t=<seconds>,v1=<hex>`: HMAC-SHA256 of `<seconds>.<body>`. The time prevents replays. */
export function signature(body: string, secret: string): string {
  const seconds = Math.floor(Date.now() / 1000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}

export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

export const createWebhookSecret = (): string => `whsec_${randomBytes(24).toString('base64url')}`

/**
 * Returns the problem of a webhook's address; null for none. A name may have no address for a while.
 * @param allowPrivate true to allow http and private addresses
 */
export async function webhookProblem(text: string, allowPrivate: boolean, resolve = resolveHost) {
  if (text.length > WEBHOOK_URL_LENGTH_MAX)
    return `The address must have at most ${WEBHOOK_URL_LENGTH_MAX} characters.`
  if (/\s/.test(text)) return 'The address must not have spaces.'
  const url = URL.canParse(text) ? new URL(text) : null
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:']
  if (url === null || !schemes.includes(url.protocol))
    return 'The address must begin with https://, such as https://example.com/alerts.'
  if (url.username + url.password !== '')
    return 'The address must not have a name or password. Check the signature of messages instead.'
  const host = hostOf(url)
  if (allowPrivate) return null
  const isLocal = /(^|\.)localhost\.?$/.test(host)
  const addresses = isIP(host) !== 0 ? [host] : isLocal ? [] : await resolve(host)
  if (!isLocal && addresses.every(isPublicAddress)) return null
  return 'The address must be on the Internet.'
}
