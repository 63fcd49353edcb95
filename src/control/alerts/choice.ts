/** What an account has chosen to hear of, and where. */
import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { WEBHOOK_URL_LENGTH_MAX } from '../limits.ts'
import { type AlertKind, type Channel, isAlertKind } from './kinds.ts'
import { isPublicAddress } from './public-address.ts'

export interface WebhookChoice {
  url: string
  /** Signs what is sent there. */
  secret: string
  kinds: AlertKind[]
}

export interface Choice {
  email: AlertKind[]
  webhook: WebhookChoice | null
}

export const NO_ALERTS: Choice = { email: [], webhook: null }

/** Channels on which a kind is wanted. */
export function channelsOf({ email, webhook }: Choice, kind: AlertKind): Channel[] {
  const channels: Channel[] = []
  if (email.includes(kind)) channels.push('email')
  if (webhook?.kinds.includes(kind) === true) channels.push('webhook')
  return channels
}

/** Every kind that is wanted anywhere. */
export function kindsOf({ email, webhook }: Choice): Set<AlertKind> {
  return new Set([...email, ...(webhook?.kinds ?? [])])
}

export function newWebhookSecret(): string {
  return `whsec_${randomBytes(24).toString('base64url')}`
}

/** A choice as its line of JSON has it, or null. */
export function parseChoice(value: unknown): Choice | null {
  if (typeof value !== 'object' || value === null) return null
  const { email, webhook } = value as Record<string, unknown>
  if (!Array.isArray(email)) return null
  if (webhook === null) return { email: email.filter(isAlertKind), webhook }
  if (typeof webhook !== 'object') return null
  const { url, secret, kinds } = webhook as Record<string, unknown>
  if (typeof url !== 'string' || typeof secret !== 'string' || !Array.isArray(kinds)) return null
  return { email: email.filter(isAlertKind), webhook: { url, secret, kinds: kinds.filter(isAlertKind) } }
}

/**
 * Why an address cannot take messages, as a sentence, or null. Names are resolved only when a message is sent.
 * @param allowPrivate also http and private addresses
 */
export function webhookProblem(text: string, allowPrivate: boolean): string | null {
  if (text.length > WEBHOOK_URL_LENGTH_MAX)
    return `The address must have at most ${WEBHOOK_URL_LENGTH_MAX} characters.`
  const url = URL.canParse(text) ? new URL(text) : null
  const schemes = allowPrivate ? ['https:', 'http:'] : ['https:']
  if (url === null || !schemes.includes(url.protocol))
    return 'The address must begin with https://, such as https://example.com/alerts.'
  if (url.username + url.password !== '')
    return 'The address must not have a name or password: check the signature of messages instead.'
  const host = hostOf(url)
  const isHidden = isIP(host) !== 0 ? !isPublicAddress(host) : /^localhost$|\.localhost$/.test(host)
  if (isHidden && !allowPrivate) return 'The address must be one that is reached over the Internet.'
  return null
}

/** The host of an address, without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}
