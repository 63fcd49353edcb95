/** Sends a signed message to the address that a customer has named. */
import { createHmac } from 'node:crypto'
import { type LookupAddress, lookup as resolve } from 'node:dns'
import { request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { hostOf, type WebhookChoice } from './choice.ts'
import { isPublicAddress } from './public-address.ts'

/** From the look-up of the name to the status of the answer. */
const SEND_MS_MAX = 10_000
const ANSWER_HEADER_BYTES_MAX = 16 * 1024

/**
 * Resolves when the receiver has answered with a status from 200 to 299. Redirects are not followed: they would take the
 * message to a host that nobody has checked. The address that is connected to is the one that was checked, so a name that
 * resolves to something else a moment later changes nothing.
 * @param closing ends it early
 * @throws Error that says why it was not accepted; it names no private address
 */
export async function sendWebhook(
  { url: text, secret }: Pick<WebhookChoice, 'url' | 'secret'>,
  { id, body }: { id: string; body: string },
  allowPrivate: boolean,
  closing: AbortSignal,
): Promise<void> {
  const url = new URL(text)
  const host = hostOf(url)
  if (!allowPrivate && (url.protocol !== 'https:' || (isIP(host) !== 0 && !isPublicAddress(host))))
    throw new Error(`${url.origin} is not an https address on the Internet`)
  const status = await new Promise<number>((done, fail) => {
    const request = (url.protocol === 'https:' ? requestSecure : requestPlain)(url, {
      method: 'POST',
      agent: false,
      lookup: allowPrivate ? undefined : publicOnly,
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
    request.once('error', error =>
      fail(error.name === 'AbortError' ? new Error(`no answer within ${SEND_MS_MAX / 1000} seconds`) : error),
    )
    request.once('response', response => {
      done(response.statusCode ?? 0)
      // Its body is of no interest, and has no bound.
      response.destroy()
    })
    request.end(body)
  })
  if (status < 200 || status > 299)
    throw new Error(`it answered ${status}; expected a status from 200 to 299`)
}

/** Resolves a name, and refuses it when any of its addresses is not on the Internet. */
const publicOnly: LookupFunction = (host, options, callback) => {
  resolve(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    const hidden = error === null ? addresses.find(({ address }) => !isPublicAddress(address)) : undefined
    const problem = error ?? (hidden && new Error(`${host} has an address that is not on the Internet`))
    const [first] = addresses ?? []
    if (problem || first === undefined) callback(problem ?? new Error(`${host} has no address`), '', 0)
    else if (options.all === true) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}

/** `t=<seconds>,v1=<hex>`: HMAC-SHA256 over `<seconds>.<body>`, so that an old message cannot be sent again as new. */
export function signature(body: string, secret: string, nowMs = Date.now()): string {
  const seconds = Math.floor(nowMs / 1000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}
