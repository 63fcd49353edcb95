/** Refuses requests without their endpoint: for their framing, encoding or size, and late for failed keys. */
import type { HttpResponse } from 'uWebSockets.js'
import { MINUTE_MS, monotonicMs } from '../../platform/time.ts'
import type { Clients } from '../api/clients.ts'
import { ERRORS, type ErrorCode } from '../errors.ts'
import type { AnswerHeads } from './answer-heads.ts'
import { type Counts, TOTAL } from './counts.ts'
import type { RefusalReason } from './labels.ts'

/** Bytes above the send buffer of uWebSockets.js: such an answer is sent at once, with those before it. */
export const AT_ONCE_BYTES = 20_000
/** Maximum number of failed keys of one address (IPv6: one /64) in a minute, before delays. */
export const KEY_FAILURES_MAX = 20
const KEY_FAILURE_DELAY_MS = 1000
/** Maximum number of delayed answers. A further one is sent at once. */
const KEY_FAILURES_WAITING_MAX = 4096

export type EarlyRefusals = ReturnType<typeof earlyRefusalsOf>

export function earlyRefusalsOf({ thread, shared }: Counts, heads: AnswerHeads, clients: Clients) {
  function refuse(
    res: HttpResponse,
    code: ErrorCode,
    closes: boolean,
    endpointNumber: number,
    reason: RefusalReason,
    bytesMin = 0,
  ): void {
    thread.countAnswer(endpointNumber, ERRORS[code].status)
    thread.countRefusal(reason)
    res.cork(() => send(res, code, closes, bytesMin))
  }

  function send(res: HttpResponse, code: ErrorCode, closes: boolean, bytesMin = 0): void {
    const { status, text: error } = ERRORS[code]
    const { notes } = res
    res.writeStatus(heads.ofOther(status, notes, closes || notes?.closes === true))
    res.end(JSON.stringify({ error }).padEnd(bytesMin), closes)
  }

  return {
    /** Closes a connection with ambiguous framing: two servers could read it differently. */
    framing(res: HttpResponse): void {
      thread.countRefusal('framing')
      res.close()
    },

    /** Refuses a body over its bounds, and closes an unread connection. @param atOnce true to read no more */
    large(res: HttpResponse, isRead: boolean, endpointNumber: number, atOnce = false): void {
      refuse(res, 'BODY_TOO_LARGE', !isRead, endpointNumber, 'too_large', atOnce ? AT_ONCE_BYTES : 0)
    },

    /** Refuses an unfinished body whose memory is needed for others, and closes the connection. */
    crowded(res: HttpResponse, endpointNumber: number): void {
      refuse(res, 'UNAVAILABLE', true, endpointNumber, 'crowded')
    },

    encoded(res: HttpResponse, endpointNumber: number): void {
      refuse(res, 'UNSUPPORTED_ENCODING', false, endpointNumber, 'malformed')
    },

    /**
     * Slows down clients that try keys: after KEY_FAILURES_MAX failures from one address in a minute, further
     * 401s come a second late. Valid keys are answered at once: many customers may share the address of one
     * proxy. Returns false if the answer is not delayed.
     */
    delayFailedKey(res: HttpResponse): boolean {
      const minute = Math.floor(monotonicMs() / MINUTE_MS)
      if (shared.countFailure(clients.network(res), minute) <= KEY_FAILURES_MAX) return false
      const release = () => Atomics.sub(shared.cells, TOTAL.waitingKeys, 1)
      if (Atomics.add(shared.cells, TOTAL.waitingKeys, 1) >= KEY_FAILURES_WAITING_MAX) {
        release()
        return false
      }
      const timer = setTimeout(() => {
        release()
        res.cork(() => send(res, 'INVALID_API_KEY', false))
      }, KEY_FAILURE_DELAY_MS).unref()
      res.onAborted(() => {
        clearTimeout(timer)
        release()
      })
      return true
    },
  }
}
