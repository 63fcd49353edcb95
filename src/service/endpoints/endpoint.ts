/** Endpoints of the API, each defined by one object. */

import type { PostalCodes } from '../../postal/library/postal-codes.ts'
import { ERRORS, type ErrorCode } from '../errors.ts'
import type { EndingKind } from './endings.ts'
import type { Members, ObjectOf, Schema } from './schema.ts'

/** Bytes from which on a bulk body goes to a worker. Handing over costs as much time as 400 records. */
export const BULK_THRESHOLD_BYTES = 16 * 1024

export type Body = Readonly<Record<string, unknown>>

export interface Fault {
  readonly error: ErrorCode
  /** Number of the wrong record of a bulk request, counted from 0. */
  readonly record?: number
}

/** A field of a body. Null and `''` count as absent. */
export interface Field<T> {
  readonly schema: Schema<T>
  readonly isRequired: boolean
  readonly errors: readonly ErrorCode[]
  /** Returns the fault of `value`, which is undefined for an absent field. */
  check(value: unknown, body: Body, codes: PostalCodes): Fault | null
}

type RequestFields = Readonly<Record<string, Field<unknown>>>

export type BodyOf<F extends RequestFields> = ObjectOf<{ [N in keyof F]: F[N]['schema'] }>

export type Group = 'Postal codes' | 'Cities and places' | 'Batches' | 'Account'

export interface Tool {
  readonly name: string
  readonly title: string
  readonly defaults?: Body
}

interface Definition<F extends RequestFields, M extends Members, K extends EndingKind> {
  readonly name: string
  readonly alias?: string
  /** Number of the usage class in the ledger, which never changes; null for a free endpoint. */
  readonly usageClass: K extends 'free' ? null : number
  readonly group: Group
  readonly summary: string
  readonly description: string
  /** Fields, in the order of their checks. */
  readonly fields: F
  readonly answer: M
  readonly ending: K
  readonly errors?: readonly ErrorCode[]
  readonly missingKey?: ErrorCode
  /** Bytes from which on a bulk request is answered by a worker; BULK_THRESHOLD_BYTES by default. */
  readonly workerBytes?: number
  readonly example: { readonly body: BodyOf<F>; readonly answer: ObjectOf<M> }
  readonly tool?: Tool
  /** Returns true if a checked body may take over a millisecond, so a worker answers it. Never by default. */
  isLong?(codes: PostalCodes, body: BodyOf<F>): boolean
  run(codes: PostalCodes, body: BodyOf<F>): ObjectOf<M> | Fault
}

export interface Endpoint<
  F extends RequestFields = RequestFields,
  M extends Members = Members,
  K extends EndingKind = EndingKind,
> extends Omit<Definition<F, M, K>, 'run' | 'isLong'> {
  readonly errors: readonly ErrorCode[]
  readonly missingKey: ErrorCode
  readonly workerBytes: number
  /** True if the key is checked before the fields and each record costs a query. */
  readonly isBulk: boolean
  /** Returns the price of a checked body, in queries. */
  queries(body: Body): number
  /** Returns the first fault of the fields, without the key. */
  check(codes: PostalCodes, body: Body): Fault | null
  isLong(codes: PostalCodes, body: Body): boolean
  /** Answers a checked body. @throws DamagedIndexError */
  run(codes: PostalCodes, body: Body): ObjectOf<M> | Fault
}

/** Returns an endpoint: its definition, with the checks and the defaults that follow from it. */
export function endpoint<F extends RequestFields, M extends Members, K extends EndingKind>(
  definition: Definition<F, M, K>,
): Endpoint<F, M, K> {
  const isBulk = definition.ending === 'bulk'
  const fields = Object.entries(definition.fields)
  const presentIn = (body: Body): BodyOf<F> => {
    const present: Record<string, unknown> = {}
    for (const [name] of fields) {
      const value = valueIn(body, name)
      if (value !== undefined) present[name] = value
    }
    return present as BodyOf<F>
  }
  return {
    errors: [],
    missingKey: 'MISSING_API_KEY',
    workerBytes: BULK_THRESHOLD_BYTES,
    ...definition,
    isBulk,
    queries: body => (definition.usageClass === null ? 0 : isBulk ? (body.records as unknown[]).length : 1),
    check(codes, body) {
      for (const [name, field] of fields) {
        const fault = field.check(valueIn(body, name), body, codes)
        if (fault !== null) return fault
      }
      return null
    },
    isLong: (codes, body) => definition.isLong?.(codes, presentIn(body)) ?? false,
    run: (codes, body) => definition.run(codes, presentIn(body)),
  }
}

/** Returns the value of a field; undefined if it counts as absent. */
export function valueIn(body: Body, name: string): unknown {
  const value = body[name]
  return value === null || value === '' ? undefined : value
}

export function isFault(answer: object): answer is Fault {
  return 'error' in answer && answer.error !== null
}

export function faultText({ error, record }: Fault): string {
  return ERRORS[error].text.replace('[N]', `[${record}]`)
}
