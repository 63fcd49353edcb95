/** Heads of answers without the length, appended to the status: one native call, not several of 50 ns. */
import type { RecognizedString } from 'uWebSockets.js'
import { STATUS_CODES } from 'node:http'
import type { ShownLimits } from '../../billing/accounts/charging/shown-limits.ts'
import { WINDOWS } from '../../billing/accounts/windows.ts'
import type { AnswerHeader } from '../../platform/settings/settings.ts'
import { SECOND_MS } from '../../platform/time.ts'
import type { ApiRequest } from '../api/request.ts'
import { STATUSES } from './labels.ts'
import type { RequestNotes } from './request-head.ts'

/** Seconds that an idle connection stays. uWebSockets.js closes it between the eighth and the twelfth. */
const KEEP_ALIVE_SECONDS = 7
const LAST_HEADS = headsWith('')
const PLAIN_HEADS = headsWith(`\r\nKeep-Alive: timeout=${KEEP_ALIVE_SECONDS}`)
/** The same heads as bytes, which are sent faster. */
const PLAIN_BYTES = Object.fromEntries(
  Object.entries(PLAIN_HEADS).map(([status, head]) => [status, Buffer.from(head)]),
)

function headsWith(header: string): Readonly<Record<number, string>> {
  return Object.fromEntries(
    STATUSES.map(status => [
      status,
      `${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json${header}`,
    ]),
  )
}

export class AnswerHeads {
  readonly #always: readonly AnswerHeader[]
  /** True if every answer has an id. */
  readonly givesId: boolean
  readonly #origins: readonly string[]

  /** @param origins origins of web pages that may read answers; `*` for all */
  constructor(always: readonly AnswerHeader[], origins: readonly string[] = []) {
    this.#always = always
    this.givesId = always.includes('request-id')
    this.#origins = origins
  }

  /** @param limited limits of the key, if the request was counted */
  of(request: ApiRequest, notes: RequestNotes | undefined, limited?: ShownLimits): RecognizedString {
    const isLimited = limited !== undefined && limited.limits !== null
    if (this.#always.length === 0 && notes === undefined && !isLimited) return PLAIN_BYTES[request.status]
    let head = this.ofOther(request.status, notes)
    if (this.#always.includes('index-build') || notes?.wantsBuild === true)
      head += `\r\nX-Index-Build: ${request.context.index.file.buildId}`
    if (isLimited) head += rateLimitHeaders(limited, Date.now())
    return head
  }

  /** Returns the head of an answer without an endpoint. @param closes true for the connection's last */
  ofOther(status: number, notes: RequestNotes | undefined, closes = notes?.closes === true): string {
    const head = (closes ? LAST_HEADS : PLAIN_HEADS)[status] + this.#corsOf(notes)
    return notes?.id === undefined ? head : `${head}\r\nX-Request-Id: ${notes.id}`
  }

  get hasOrigins(): boolean {
    return this.#origins.length > 0
  }

  allowedOrigin(notes: RequestNotes | undefined): string | undefined {
    const origin = notes?.origin
    if (origin === undefined) return undefined
    return this.#origins.find(allowed => allowed === '*' || allowed === origin)
  }

  /** Returns the headers that let a page read its answer, and keep caches from giving it to another page. */
  #corsOf(notes: RequestNotes | undefined): string {
    if (notes?.origin === undefined) return ''
    const allowed = this.allowedOrigin(notes)
    if (allowed === undefined) return '\r\nVary: Origin'
    return `\r\nAccess-Control-Allow-Origin: ${allowed}\r\nVary: Origin\r\nAccess-Control-Expose-Headers: *`
  }
}

/**
 * Returns `RateLimit-Policy` and `RateLimit` by draft-ietf-httpapi-ratelimit-headers-10, each after CRLF:
 * quota `q`, window `w` in seconds, rest `r`, seconds `t` until its end. The windows are freshly counted.
 */
function rateLimitHeaders({ limits, used }: ShownLimits, nowMs: number): string {
  const policies: string[] = []
  const rests: string[] = []
  for (const { name, limit, ms } of WINDOWS) {
    const most = limits?.[limit] ?? null
    if (most === null) continue
    const untilEnd = Math.ceil((ms - (nowMs % ms)) / SECOND_MS)
    policies.push(`"${name}";q=${most};w=${ms / SECOND_MS}`)
    rests.push(`"${name}";r=${Math.max(0, most - used[limit])};t=${untilEnd}`)
  }
  if (policies.length === 0) return ''
  return `\r\nRateLimit-Policy: ${policies.join(', ')}\r\nRateLimit: ${rests.join(', ')}`
}
