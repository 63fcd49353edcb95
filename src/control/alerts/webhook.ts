/** Sends a signed message to the address that a customer has named. */
import { createHmac } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { hostOf, type WebhookChoice } from './choice.ts'
import { isPublicAddress } from './public-address.ts'

/** From the look-up of the name to the status of the answer. */
const SEND_MS_MAX = 10_000
const ANSWER_HEADER_BYTES_MAX = 16 * 1024
/** Of each of two attempts at a name. */
const RESOLVE_MS_MAX = 3000

/** The addresses of a name. */
export type Resolve = (host: string) => Promise<string[]>

export interface WebhookRules {
  /** Whether private addresses may be connected to, and without encryption. */
  allowPrivate: boolean
  /** Ends it early. */
  closing: AbortSignal
  resolve?: Resolve
}

/**
 * Resolves when the receiver has answered with a status from 200 to 299. Redirects are not followed: they would take the
 * message to a host that nobody has checked. The address that is connected to is the one that was checked, so a name that
 * resolves to something else a moment later changes nothing.
 * @throws Error that says why it was not accepted; it names no private address
 */
export async function sendWebhook(
  { url: text, secret }: Pick<WebhookChoice, 'url' | 'secret'>,
  { id, body }: { id: string; body: string },
  { allowPrivate, closing, resolve = askServers }: WebhookRules,
): Promise<void> {
  const url = new URL(text)
  const host = hostOf(url)
  if (!allowPrivate && (url.protocol !== 'https:' || (isIP(host) !== 0 && !isPublicAddress(host))))
    throw new Error(`${url.origin} is not an https address on the Internet`)
  const status = await new Promise<number>((done, fail) => {
    const request = (url.protocol === 'https:' ? requestSecure : requestPlain)(url, {
      method: 'POST',
      agent: false,
      lookup: allowPrivate ? undefined : publicOnly(resolve),
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
      // Its body is of no interest, and has no bound.
      response.on('error', () => {}).destroy()
    })
    request.end(body)
  })
  if (status < 200 || status > 299)
    throw new Error(`it answered ${status}; expected a status from 200 to 299`)
}

/** Refuses a name when any of its addresses is not on the Internet. */
function publicOnly(resolve: Resolve): LookupFunction {
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

/**
 * Asks the name servers, and not the system: that would keep a thread of the pool that syncs the ledger, for as long as the
 * name server of a customer takes.
 */
async function askServers(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: RESOLVE_MS_MAX, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  return answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []))
}

/** `t=<seconds>,v1=<hex>`: HMAC-SHA256 over `<seconds>.<body>`, so that an old message cannot be sent again as new. */
export function signature(body: string, secret: string, nowMs = Date.now()): string {
  const seconds = Math.floor(nowMs / 1000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}
