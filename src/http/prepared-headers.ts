/**
 * The heads of nearly every answer when `ANSWER_HEADERS` is set: laid out once for each index and status, with every field at a
 * fixed place, so that an answer costs some digits: 50 ns in place of 600 (a loop over `AnswerHeaders.of`). Times from 10 ms on
 * do not fit; `AnswerHeaders` lays those out.
 */
import type { ApiRequest } from '../api/service.ts'
import type { AnswerHeader } from '../settings/answer-headers.ts'
import { newIdStart } from './request-notes.ts'

const DIGIT_ZERO = 0x30
const DIGIT_NINE = 0x39
const LETTER_A = 0x61
const LETTER_Z = 0x7a
/** The largest time that its places can hold. */
const MICROS_MAX = 9999
const NO_MILLIS = '0.000'
/** Counts 78 billion answers. */
const NO_COUNT = '0000000'

export class PreparedHeaders {
  readonly #bytes: Buffer
  /** Where each of the four times is; -1: there are none. */
  readonly #timesAt: readonly number[]
  readonly #hasId: boolean
  #hasIds = true

  /** @param plain status line and `Content-Type` */
  constructor(plain: Buffer, always: readonly AnswerHeader[], buildId: string) {
    this.#hasId = always.includes('request-id')
    let text = plain.toString('latin1')
    const timesAt: number[] = []
    if (always.includes('index-build')) text += `\r\nX-Index-Build: ${buildId}`
    if (always.includes('server-timing')) {
      for (const name of ['\r\nServer-Timing: auth', ', limit', ', data', ', total']) {
        text += `${name};dur=`
        timesAt.push(text.length)
        text += NO_MILLIS
      }
    }
    // Last, since its digits are counted on from the end.
    if (this.#hasId) text += `\r\nX-Request-Id: ${newIdStart()}${NO_COUNT}`
    this.#bytes = Buffer.from(text, 'latin1')
    this.#timesAt = timesAt
  }

  /** False once its ids are used up. */
  get hasIds(): boolean {
    return this.#hasIds
  }

  /** The head of the answer to `request`; undefined when its times do not fit. */
  of(request: ApiRequest): Buffer | undefined {
    if (this.#timesAt.length > 0 && !this.#writeTimes(request)) return undefined
    if (this.#hasId) this.#countOn()
    return this.#bytes
  }

  #writeTimes(request: ApiRequest): boolean {
    const { startedMs, endedMs } = request
    const authenticatedMs = request.authenticatedMs || startedMs
    const limitedMs = Math.max(request.limitedMs, authenticatedMs)
    const total = Math.round((endedMs - startedMs) * 1000)
    if (!(total >= 0 && total <= MICROS_MAX)) return false
    this.#put(0, Math.round((authenticatedMs - startedMs) * 1000))
    this.#put(1, Math.round((limitedMs - authenticatedMs) * 1000))
    this.#put(2, Math.round((endedMs - limitedMs) * 1000))
    this.#put(3, total)
    return true
  }

  /** @param micros 0 to `MICROS_MAX` */
  #put(time: number, micros: number): void {
    const bytes = this.#bytes
    const at = this.#timesAt[time]
    const tens = (micros / 10) | 0
    const hundreds = (micros / 100) | 0
    const millis = (micros / 1000) | 0
    bytes[at] = DIGIT_ZERO + millis
    bytes[at + 2] = DIGIT_ZERO + hundreds - millis * 10
    bytes[at + 3] = DIGIT_ZERO + tens - hundreds * 10
    bytes[at + 4] = DIGIT_ZERO + micros - tens * 10
  }

  /** The next id: digits and small letters, from the last one on. */
  #countOn(): void {
    const bytes = this.#bytes
    for (let at = bytes.length - 1; at >= bytes.length - NO_COUNT.length; at--) {
      const digit = bytes[at]
      if (digit !== LETTER_Z) {
        bytes[at] = digit === DIGIT_NINE ? LETTER_A : digit + 1
        return
      }
      bytes[at] = DIGIT_ZERO
    }
    // The next answer begins with another start.
    this.#hasIds = false
  }
}
