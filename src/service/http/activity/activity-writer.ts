/** Notes the requests of one server thread and sends them to the ledger thread, many at a time. */

import { SHOWN_CHARACTERS } from '../../../billing/accounts/secret.ts'
import { addressText, networkOfClient } from '../../../platform/networks.ts'
import { HOUR_MS } from '../../../platform/time.ts'
import { FIELD, type Field } from '../../api/body-scanner.ts'
import type { ApiRequest } from '../../api/service.ts'
import { COUNTED_STATUSES, type LoggedRequest } from '../../data-plane.ts'
import { ENDPOINT_LIST, pathsOf } from '../../endpoints/table.ts'
import { DEFINITIONS, ENDPOINT_LABELS, endpointAt } from '../labels.ts'

/** Time after which a server thread sends its notes of requests to the main thread. */
const ACTIVITY_MS = 100
/** Maximum number of requests that one thread notes in ACTIVITY_MS. Further ones are left out of the logs. */
const ACTIVITY_REQUESTS_MAX = 1000
/** Maximum number of requests that one thread notes for one log in ACTIVITY_MS. */
const ACTIVITY_REQUESTS_PER_LOG_MAX = 25
/** Maximum number of pairs of account and status, and beginnings of keys, counted in ACTIVITY_MS. */
const ACTIVITY_COUNTS_MAX = 10_000

/** Request with its account's slot and its client's network. The log may drop the code. */
export interface NotedRequest extends LoggedRequest {
  readonly account: number
  readonly network: string | null
}

export interface ActivityNotes {
  readonly requests: readonly NotedRequest[]
  readonly counts: readonly ErrorCount[]
}

/** Number of errors with a status in a UTC hour. */
export interface ErrorCount {
  /** Hours since 1970. */
  readonly hour: number
  readonly status: number
  /** Slot of the account, or for 401 the beginning of the unknown key; null for the sum of all. */
  readonly who: number | string | null
  readonly errors: number
}

/** Returns the key of a count in a map. */
export function countKey({ hour, status, who }: Omit<ErrorCount, 'errors'>): string {
  return `${hour} ${status} ${who ?? ''}`
}

/** Returns the number of one of the two logs of an account. Answered requests do not push out refused ones. */
export function logNumber(account: number, status: number): number {
  return 2 * account + (status === 200 ? 0 : 1)
}

export function accountOf(log: number): number {
  return log >> 1
}

const TEXT_CHARACTERS = 12
const FIELD_NAMES = Object.keys(FIELD)
const DEFAULT_COUNTRIES = DEFINITIONS.map(each => String(each?.fields.country?.schema.json.default ?? ''))
const ENDPOINTS_WITH_CODE = new Set(
  ENDPOINT_LIST.filter(({ fields }) => 'zipcode' in fields).flatMap(each => pathsOf(each).map(endpointAt)),
)

export class ActivityWriter {
  readonly #keepsRequests: boolean
  readonly #send: (notes: ActivityNotes) => void
  #requests: NotedRequest[] = []
  #perLog = new Map<number, number>()
  #counts = new Map<string, ErrorCount>()
  #isTimed = false

  /** @param keepsRequests false counts only errors */
  constructor(keepsRequests: boolean, send: (notes: ActivityNotes) => void) {
    this.#keepsRequests = keepsRequests
    this.#send = send
  }

  /**
   * Notes the request before its answer is sent, unless this thread has already noted the maximum for its account. Afterwards the
   * connection has no address. @returns the note, which lacks the duration
   */
  note(
    request: ApiRequest,
    endpoint: number,
    requestId: string | null,
    clientOf: () => Int32Array | null,
  ): NotedRequest | undefined {
    const { key, status, secret, secretStart, secretEnd } = request
    if (key === undefined) {
      if (status !== 401 || secretStart === secretEnd) return undefined
      const shown = secret.subarray(secretStart, Math.min(secretEnd, secretStart + SHOWN_CHARACTERS))
      this.#count(status, Buffer.from(shown).toString('latin1'))
      return undefined
    }
    const { slot } = key.account
    if (status !== 200 && (COUNTED_STATUSES as readonly number[]).includes(status)) this.#count(status, slot)
    // Answered requests leave half of the room to refused ones.
    const requestsMax = status === 200 ? ACTIVITY_REQUESTS_MAX / 2 : ACTIVITY_REQUESTS_MAX
    if (!this.#keepsRequests || this.#requests.length >= requestsMax) return undefined
    const log = logNumber(slot, status)
    const noted = this.#perLog.get(log) ?? 0
    if (noted >= ACTIVITY_REQUESTS_PER_LOG_MAX) return undefined
    this.#perLog.set(log, noted + 1)
    const address = clientOf()
    const note = {
      account: slot,
      timeMs: Date.now(),
      endpoint: ENDPOINT_LABELS[endpoint],
      country: countryOf(request, endpoint),
      status,
      error: request.error,
      bound: request.bound,
      durationMicros: 0,
      key: key.slot,
      client: address && addressText(address),
      network: address && networkOfClient(address),
      requestId,
      queries: request.chargedQueries,
      code: ENDPOINTS_WITH_CODE.has(endpoint) ? textOf(request, FIELD.zipcode) : null,
    }
    this.#requests.push(note)
    this.#wake()
    return note
  }

  #count(status: number, who: number | string): void {
    const present = { hour: Math.floor(Date.now() / HOUR_MS), status, who }
    const key = countKey(present)
    const counted = this.#counts.get(key)
    if (counted === undefined && this.#counts.size >= ACTIVITY_COUNTS_MAX) return
    this.#counts.set(key, { ...present, errors: (counted?.errors ?? 0) + 1 })
    this.#wake()
  }

  #wake(): void {
    if (this.#isTimed) return
    this.#isTimed = true
    setTimeout(() => this.flush(), ACTIVITY_MS).unref()
  }

  flush(): void {
    this.#isTimed = false
    this.#send({ requests: this.#requests, counts: [...this.#counts.values()] })
    this.#requests = []
    this.#perLog = new Map()
    this.#counts = new Map()
  }
}

function countryOf(request: ApiRequest, endpoint: number): string {
  return request.country?.cc ?? (textOf(request, FIELD.country)?.toUpperCase() || DEFAULT_COUNTRIES[endpoint])
}

/** Returns a field as sent, cut to TEXT_CHARACTERS. */
function textOf({ fields, cold }: ApiRequest, field: Field): string | null {
  const value = cold === null ? fields.text(field) || null : cold.parsed[FIELD_NAMES[field]]
  return typeof value === 'string' || typeof value === 'number'
    ? String(value).slice(0, TEXT_CHARACTERS)
    : null
}
