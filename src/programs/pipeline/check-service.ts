/** Checks pieces through a service, in batches. */

import {
  type ColumnField,
  EVERY_FIELD,
  type Metadata,
  type RecordField,
} from '../../postal/index/record-fields.ts'
import type { Fits } from '../../postal/library/records.ts'
import type { LookedUpRecord, PostrieClient, RecordResult } from '../client/client.ts'
import type { CheckerOptions } from './check.ts'
import { InputError } from './input-error.ts'
import {
  type CheckedPiece,
  ResultLines,
  recordsOf,
  type TextRecord,
  type Validation,
  type Values,
} from './input-records.ts'
import { type CheckPlan, fieldsOf } from './plan.ts'

/** Pieces in progress. */
const PIECES = 4
/** Bytes of a piece. Small, because a refused piece is lost, but some of its batches may be charged. */
const PIECE_BYTES = 20 * 1024
/** Stands for an empty code. A service refuses a batch with an empty code, and reads a dash as one. */
const EMPTY_CODE = '-'

/** @param url for the progress file: another service may have other codes */
export function serviceChecker(client: PostrieClient, url: string): CheckerOptions {
  return {
    build: url,
    pieceBytes: PIECE_BYTES,
    open: plan => ({
      concurrency: PIECES,
      check: (piece, signal) => checkPiece(piece, plan, client, signal),
      close: async () => {},
    }),
  }
}

async function checkPiece(
  piece: Uint8Array,
  plan: CheckPlan,
  client: PostrieClient,
  signal: AbortSignal,
): Promise<CheckedPiece> {
  const lines = new ResultLines(plan, piece)
  const records: TextRecord[] = []
  try {
    for (const record of recordsOf(piece, plan)) records.push(record)
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    // The results of this piece will not be written, so it must not be charged.
    lines.counts.records = records.length
    return lines.end(error.message)
  }
  const asked = records.filter(isAsked).map(({ code, country, city, state }) => ({
    postalCode: String(code) || EMPTY_CODE,
    countryCode: country,
    city,
    state,
  }))
  const results: (RecordResult | LookedUpRecord)[] =
    plan.fields.length > 0
      ? await client.lookupAll(asked, { signal, ...EVERY_FIELD })
      : await client.validateAll(asked, { signal })
  const fits = plan.compared.length > 0 ? await client.verifyAll(asked, { signal }) : []
  const fields = fieldsOf(plan)
  let next = 0
  for (const record of records) {
    const result: Validation & Partial<Pick<LookedUpRecord, 'record'>> = record.verdict ?? results[next]
    const fit = (isAsked(record) && fits[next]) || fitsOfUnknown(record)
    lines.add(record, result, fit, valuesOf(fields, result.record))
    if (isAsked(record)) next++
  }
  return lines.end(null)
}

/** Returns the same verdicts as the library does for an unknown code. */
function fitsOfUnknown({ city, state }: TextRecord): Fits {
  const unknown = { verdict: 'unknown', value: null } as const
  return { ...(city && { city: unknown }), ...(state && { state: unknown }) }
}

function isAsked({ verdict }: TextRecord): boolean {
  return verdict === undefined
}

function valuesOf(fields: readonly ColumnField[], record: Metadata | null | undefined): Values {
  if (record === null || record === undefined) return []
  // Only records of the US have a `zipcode`.
  const where = record.zipcode === undefined ? 'world' : 'us'
  return fields.map((field: RecordField) => record[field[where] ?? ''] as Values[number])
}
