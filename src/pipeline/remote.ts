/** Checks pieces through a service: the same records and results, in batches of its client. */
import type { Metadata, PostalRecord, PostrieClient, RecordResult } from '../client/main.ts'
import { utf8Text } from '../text/bytes.ts'
import type { CheckerOptions } from './check.ts'
import type { CheckedChunk } from './check-chunk.ts'
import { CsvReader, csvField, fieldsOf } from './csv.ts'
import { parsedLine, textOf } from './json-lines.ts'
import type { Reason } from './judge.ts'
import { placeField } from './place-fields.ts'
import { type CheckPlan, type Counts, InputError, noCounts } from './plan.ts'

/** Pieces in progress; each has its batches in flight. */
const PIECES = 2
const LF = 0x0a
const encoder = new TextEncoder()

/** A record as text. */
interface TextRecord {
  code: string
  country: string
  /** What is written before the result: a record of CSV, or the inside of a JSON object. */
  head: string
}

interface Verdict extends Pick<RecordResult, 'valid' | 'normalized' | 'reason'> {
  /** What is known of a valid code, when fields of its place are wanted. */
  record?: Metadata | null
}

/** @param url for the progress file: another service may know other codes */
export function remoteChecker(client: PostrieClient, url: string): CheckerOptions {
  return {
    build: url,
    open(plan) {
      if (plan.padsDigits)
        throw new InputError(
          '--pad-digits needs an index at hand: a service takes the codes of a list as they are',
        )
      return {
        concurrency: PIECES,
        check: (piece, signal) => checkRemotely(piece, plan, client, signal),
        close: async () => {},
      }
    },
  }
}

async function checkRemotely(
  piece: Uint8Array,
  plan: CheckPlan,
  client: PostrieClient,
  signal: AbortSignal,
): Promise<CheckedChunk> {
  const counts = noCounts()
  let records: TextRecord[]
  try {
    records = plan.from === 'csv' ? [...csvRecords(piece, plan)] : [...jsonRecords(piece, plan)]
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return { bytes: new Uint8Array(0), length: 0, counts, problem: error.message }
  }
  // The service refuses a whole batch for one of these.
  const local = records.map(({ code, country }) => reasonAtHand(code, country))
  const asked = records.filter((_, i) => local[i] === null)
  const results: Verdict[] =
    plan.fields.length > 0
      ? await client.lookupAll(asked.map(asRecord), { signal })
      : await client.validateAll(asked.map(asRecord), { signal })
  let next = 0
  let text = ''
  for (const [i, record] of records.entries()) {
    const reason = local[i]
    const verdict: Verdict = reason === null ? results[next++] : { valid: false, normalized: null, reason }
    count(counts, verdict)
    text += line(plan, record.head, verdict)
  }
  const bytes = encoder.encode(text)
  return { bytes, length: bytes.length, counts, problem: null }
}

function asRecord({ code, country }: TextRecord): PostalRecord {
  return { postalCode: code, countryCode: country }
}

function reasonAtHand(code: string, country: string): Reason | null {
  if (!/^[A-Za-z]{2}$/.test(country)) return 'unknown_country'
  return code === '' ? 'invalid_format' : null
}

function count(counts: Counts, { valid, reason }: Verdict): void {
  counts.records++
  if (valid) counts.valid++
  else counts[reason ?? 'not_found']++
}

function* csvRecords(piece: Uint8Array, plan: CheckPlan): Generator<TextRecord> {
  const { columns, delimiter, country = '', countryColumn, code, to, takesRagged } = plan
  const countryAt = countryColumn === undefined ? -1 : columns.indexOf(countryColumn)
  const reader = new CsvReader(delimiter, -1, -1)
  reader.begin(piece)
  while (reader.next()) {
    const missing = columns.length - reader.fieldCount
    if (missing !== 0 && !takesRagged)
      throw new InputError(`${reader.fieldCount} fields, the header has ${columns.length}`)
    const { recordStart, recordEnd } = reader
    const fields = fieldsOf(piece, recordStart, recordEnd, delimiter)
    const head =
      to === 'csv'
        ? utf8Text(piece, recordStart, recordEnd) + delimiter.repeat(Math.max(0, missing))
        : columns.map((name, i) => `${JSON.stringify(name)}:${JSON.stringify(fields[i] ?? '')}`).join(',')
    const named = (fields[countryAt] ?? '').trim()
    yield { code: fields[columns.indexOf(code)] ?? '', country: named === '' ? country : named, head }
  }
}

function* jsonRecords(piece: Uint8Array, plan: CheckPlan): Generator<TextRecord> {
  const { delimiter, country = '', countryColumn, code, to } = plan
  for (let start = 0; start < piece.length; ) {
    const lineEnd = piece.indexOf(LF, start)
    const end = lineEnd < 0 ? piece.length : lineEnd
    const line = utf8Text(piece, start, end).trim()
    start = end + 1
    if (line === '') continue
    const record = parsedLine(line)
    const codeText = textOf(record[code])
    const named = countryColumn === undefined ? '' : textOf(record[countryColumn]).trim()
    const head =
      to === 'csv'
        ? `${csvField(codeText, delimiter)}${delimiter}${csvField(named, delimiter)}`
        : line.slice(1, -1).trim()
    yield { code: codeText, country: named === '' ? country : named, head }
  }
}

function line(plan: CheckPlan, head: string, { valid, normalized, reason, record }: Verdict): string {
  const { to, delimiter, fields, prefix, lineEnd } = plan
  const place = fields.map(field => (record ? placeField(record, field) : ''))
  if (to === 'csv') {
    const texts = place.map(value => csvField(String(value), delimiter))
    return (
      [head, valid, csvField(normalized ?? '', delimiter), reason ?? '', ...texts].join(delimiter) + lineEnd
    )
  }
  const known = fields.map((field, i) => [field, place[i]]).filter(([, value]) => value !== '')
  const members = [...Object.entries({ valid, normalized, reason }), ...known].map(
    ([name, value]) => `${JSON.stringify(`${prefix}${name}`)}:${JSON.stringify(value)}`,
  )
  return `{${[head, ...members].filter(member => member !== '').join(',')}}\n`
}
