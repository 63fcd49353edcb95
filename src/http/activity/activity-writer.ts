/** Notes what each account has asked and which errors it got, in the memory of one server thread. */

import { FIELD } from '../../api/request/field-slots.ts'
import type { ApiRequest } from '../../api/service.ts'
import { ENDPOINTS } from '../counted.ts'
import type { ActivityMemory } from './activity-memory.ts'
import { bytesKey, HOUR_MS, HourlyCounts } from './hourly-counts.ts'
import { RequestLog } from './request-log.ts'
import { MINUTE_MS, packResult } from './request-log-layout.ts'

/** The column of each status whose answers are counted by account. */
export const ERROR_COLUMNS = [402, 403, 404, 429, 503] as const
const COLUMN_OF_STATUS = new Int8Array(600).fill(-1)
for (const [column, status] of ERROR_COLUMNS.entries()) COLUMN_OF_STATUS[status] = column

/** Endpoints whose request has a code. */
const HAS_CODE = ENDPOINTS.map(name =>
  ['lookup', 'metacode', 'metazip', 'validate', 'nearest', 'format'].includes(name),
)

export class ActivityWriter {
  readonly #log: RequestLog | undefined
  readonly #codesUntil: Int32Array
  readonly #errors: HourlyCounts
  readonly #failedKeys: HourlyCounts
  /** Wall time less `performance.now()`. */
  #offsetMs = 0
  /** Used again for each count: an account is known by its slot. */
  readonly #account = { high: 0, low: 0 }

  constructor({ log, errors, failedKeys }: ActivityMemory) {
    this.#log = log === undefined ? undefined : new RequestLog(log.heads, log.blocks)
    this.#codesUntil = new Int32Array(log?.codesUntil ?? new SharedArrayBuffer(0))
    this.#errors = new HourlyCounts(errors)
    this.#failedKeys = new HourlyCounts(failedKeys)
    this.followClock()
  }

  /** Takes over the machine's clock, which may have been set since the last call. */
  followClock(): void {
    this.#offsetMs = Date.now() - performance.now()
  }

  /** Notes the answer that `request` holds. */
  answered(request: ApiRequest, endpoint: number): void {
    const { key, status } = request
    const timeMs = this.#offsetMs + request.endedMs
    if (key === undefined) {
      if (status === 401 && request.failedKeyLength > 0) this.#countKey(request, timeMs)
      return
    }
    const { slot } = key.account
    if (status !== 200) this.#countError(slot, status, timeMs)
    if (this.#log === undefined) return
    const { country, fields } = request
    const cc = country === undefined || country === null ? '' : country.cc
    const letters = cc === '' ? 0 : cc.charCodeAt(0) | (cc.charCodeAt(1) << 8)
    const micros = Math.round((request.endedMs - request.startedMs) * 1000)
    const result = packResult(status, endpoint, request.chargedQueries)
    const keepsCode = this.#codesUntil[slot] !== 0 && this.#maySeeCode(slot, endpoint, timeMs)
    const code = keepsCode ? fields.bytes : undefined
    const start = fields.starts[FIELD.zipcode]
    this.#log.add(slot, timeMs, micros, key.slot, result, letters, code, start, fields.ends[FIELD.zipcode])
  }

  #maySeeCode(slot: number, endpoint: number, timeMs: number): boolean {
    return HAS_CODE[endpoint] && this.#codesUntil[slot] > timeMs / MINUTE_MS
  }

  #countError(slot: number, status: number, timeMs: number): void {
    const column = COLUMN_OF_STATUS[status]
    if (column < 0) return
    this.#account.low = slot
    this.#errors.add(this.#account, Math.floor(timeMs / HOUR_MS), column)
  }

  #countKey({ failedKey, failedKeyLength }: ApiRequest, timeMs: number): void {
    this.#failedKeys.add(bytesKey(failedKey, failedKeyLength), Math.floor(timeMs / HOUR_MS), 0)
  }
}
