/** Notes the requests of one server thread and sends them to the ledger thread, many at a time. */

import { SHOWN_CHARACTERS } from '../../../billing/accounts/secret.ts'
import { addressText, networkOfClient } from '../../../platform/networks.ts'
import { HOUR_MS } from '../../../platform/time.ts'
import type { ApiRequest } from '../../api/request.ts'
import { HOT_FIELD, type HotField } from '../../api/request.ts'
import type { AccountSender, KeySender, LoggedRequest, RefusalCount } from '../../data-plane.ts'
import { ENDPOINT_LIST, pathsOf } from '../../endpoints/table.ts'
import { COUNTED_STATUSES, ERRORS } from '../../errors.ts'
import { REQUESTS_SHOWN_MAX } from '../../limits.ts'
import { ENDPOINT_BY_NUMBER, ENDPOINT_LABELS, endpointNumberAt } from '../labels.ts'

/** Time after which a server thread sends its notes of requests to the ledger thread. */
const SEND_MS = 100
/** Maximum number of requests that a thread notes in SEND_MS; twice as many with previous secrets. */
const NOTED_REQUESTS_MAX = 1000
/** Number of requests of one log that one thread notes in a burst: all that a log keeps. */
const LOG_BURST = REQUESTS_SHOWN_MAX
/** Number of requests of one log that one thread notes a millisecond, beyond a burst. */
const LOG_REQUESTS_PER_MS = 0.25
/** Maximum number of different refusals that one thread counts in SEND_MS. */
const NOTED_REFUSALS_MAX = 10_000

/** Request with its client's network. The log may drop the code. */
interface NotedRequest extends LoggedRequest {
  readonly who: AccountSender
  readonly network: string | null
  /** Beginning of the sent secret. */
  readonly start: string
  readonly isPrevious: boolean
}

interface NotedRefusal extends RefusalCount {
  readonly who: AccountSender
}

export interface ActivityNotes {
  readonly requests: readonly NotedRequest[]
  readonly refusals: readonly NotedRefusal[]
}

/** Log of a slot's requests with one status, as a number, or of a secret, by its beginning. */
export type LogId = number | string

/** Numbers of logs for one slot: more than any status. */
const LOGS_PER_SLOT = 1000

/** Returns the log for a status. Each has its own, so that a flood of refusals pushes out no others. */
export function logOf(who: AccountSender | KeySender, status: number): LogId {
  return typeof who === 'number' ? LOGS_PER_SLOT * who + status : who
}

export function accountOf(log: LogId): AccountSender {
  return typeof log === 'number' ? Math.floor(log / LOGS_PER_SLOT) : log
}

/** Returns the key of a count among those of its account or secret. */
export function refusalKey(refusal: Omit<RefusalCount, 'requests'>): string {
  const { hour, status, endpoint, sender, error, bound, keyRefusal } = refusal
  const limit = bound === null ? '' : `${bound.of} ${bound.window} ${bound.most} ${bound.wait === null}`
  return `${hour} ${status} ${endpoint} ${sender} ${error} ${keyRefusal} ${limit}`
}

const SHOWN_FIELD_CHARACTERS = 12
const RECORD = /\[\d+\]/
const FIELD_NAMES = Object.keys(HOT_FIELD)
const DEFAULT_COUNTRIES = ENDPOINT_BY_NUMBER.map(each =>
  String(each?.fields.country?.schema.json.default ?? ''),
)
const ENDPOINTS_WITH_CODE = new Set(
  ENDPOINT_LIST.filter(({ fields }) => 'zipcode' in fields).flatMap(each =>
    pathsOf(each).map(endpointNumberAt),
  ),
)

export class ActivityWriter {
  readonly #keepsRequests: boolean
  readonly #send: (notes: ActivityNotes) => void
  #requests: NotedRequest[] = []
  /** Requests in the burst of each log. It shrinks by LOG_REQUESTS_PER_MS. */
  readonly #bursts = new Map<LogId, number>()
  #shrunkMs = 0
  #refusals = new Map<string, NotedRefusal>()
  #isTimed = false

  /** @param keepsRequests false counts only refused requests */
  constructor(keepsRequests: boolean, send: (notes: ActivityNotes) => void) {
    this.#keepsRequests = keepsRequests
    this.#send = send
  }

  /** Notes the request before its answer is sent: afterwards the connection has no address. */
  note(request: ApiRequest, endpointNumber: number, requestId: string | null): NotedRequest | undefined {
    const { key, status } = request
    const who = key?.account.slot ?? (status === 401 ? startOf(request) : '')
    if (who === '') return undefined
    const sender = key?.slot ?? who
    if (status !== 200 && COUNTED_STATUSES.includes(status)) this.#count(who, sender, request, endpointNumber)
    // Leaves room for refused requests, most of it for those of customers.
    const share = status === 200 ? 2 : status === 401 ? 4 : 1
    const isPrevious = key?.isPrevious === true
    // The use of a previous secret is rare, and noted even among very many other requests.
    const requestsMax = isPrevious ? 2 * NOTED_REQUESTS_MAX : NOTED_REQUESTS_MAX / share
    if (!this.#keepsRequests || this.#requests.length >= requestsMax) return undefined
    if (!this.#isTimed) this.#shrinkBursts()
    const log = isPrevious ? startOf(request) : logOf(status === 200 ? who : sender, status)
    const burst = this.#bursts.get(log) ?? 0
    if (burst >= LOG_BURST) return undefined
    this.#bursts.set(log, burst + 1)
    const address = request.clientAddress()
    const note = {
      who,
      timeMs: Date.now(),
      endpoint: ENDPOINT_LABELS[endpointNumber],
      country: countryOf(request, endpointNumber),
      status,
      error: request.error,
      bound: request.reachedLimit,
      keyRefusal: request.keyRefusal,
      durationMicros: 0,
      sender,
      client: address && addressText(address),
      network: address && networkOfClient(address),
      start: startOf(request),
      isPrevious,
      requestId,
      queries: request.chargedQueries,
      unpaid:
        key && status === 402
          ? { queries: request.queries, balanceMicros: key.account.availableMicros }
          : null,
      code: ENDPOINTS_WITH_CODE.has(endpointNumber) ? textOf(request, HOT_FIELD.zipcode) : null,
    }
    this.#requests.push(note)
    this.#wake()
    return note
  }

  #count(who: AccountSender, sender: KeySender, request: ApiRequest, endpointNumber: number): void {
    const { status, reachedLimit: bound, keyRefusal } = request
    const endpoint = ENDPOINT_LABELS[endpointNumber]
    const error = (request.error ?? '').replace(RECORD, '[N]')
    const lastMs = Date.now()
    const hour = Math.floor(lastMs / HOUR_MS)
    const address = error === ERRORS.KEY_ADDRESS.text ? request.clientAddress() : null
    const client = address && addressText(address)
    const times = { hour, firstMs: lastMs, lastMs }
    const refusal = { ...times, status, endpoint, sender, error, bound, keyRefusal, client }
    const key = `${who} ${refusalKey(refusal)}`
    const counted = this.#refusals.get(key)
    // Strangers may send any number of secrets.
    const share = typeof who === 'string' ? 2 : 1
    if (counted === undefined && this.#refusals.size >= NOTED_REFUSALS_MAX / share) return
    const { requests = 0, firstMs = lastMs } = counted ?? {}
    this.#refusals.set(key, { who, ...refusal, requests: requests + 1, firstMs })
    this.#wake()
  }

  #wake(): void {
    if (this.#isTimed) return
    this.#isTimed = true
    setTimeout(() => this.flush(), SEND_MS).unref()
  }

  flush(): void {
    this.#isTimed = false
    this.#send({ requests: this.#requests, refusals: [...this.#refusals.values()] })
    this.#requests = []
    this.#refusals = new Map()
  }

  #shrinkBursts(): void {
    const nowMs = performance.now()
    const fewer = LOG_REQUESTS_PER_MS * (nowMs - this.#shrunkMs)
    this.#shrunkMs = nowMs
    for (const [log, burst] of this.#bursts)
      if (burst > fewer) this.#bursts.set(log, burst - fewer)
      else this.#bursts.delete(log)
  }
}

/** Returns the beginning of the sent secret, `''` for a request without a secret. */
function startOf({ secret, secretStart, secretEnd }: ApiRequest): string {
  const shown = secret.subarray(secretStart, Math.min(secretEnd, secretStart + SHOWN_CHARACTERS))
  return Buffer.from(shown).toString('latin1')
}

/** Returns the `country` of a `LoggedRequest`. */
export function countryOf(request: ApiRequest, endpointNumber: number): string {
  return (
    request.country?.cc ??
    (textOf(request, HOT_FIELD.country)?.toUpperCase() || DEFAULT_COUNTRIES[endpointNumber])
  )
}

/** Returns a field as sent, cut to SHOWN_FIELD_CHARACTERS. */
function textOf({ fields, parsed }: ApiRequest, field: HotField): string | null {
  const value = parsed === null ? fields.text(field) || null : parsed[FIELD_NAMES[field]]
  return typeof value === 'string' || typeof value === 'number'
    ? String(value).slice(0, SHOWN_FIELD_CHARACTERS)
    : null
}
