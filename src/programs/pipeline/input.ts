/** Reads the input as UTF-8, and cuts it into pieces of whole records. */
import { createReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { crc32, createGunzip } from 'node:zlib'
import {
  BACKSLASH,
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  COMMA,
  QUOTE,
} from '../../postal/text/json.ts'
import { recordsEnd } from './csv-reader.ts'
import { InputError } from './input-error.ts'
import type { Format } from './plan.ts'

/** Bytes of one read, and of a piece. */
const READ_BYTES = 256 * 1024
const RECORD_BYTES_MAX = 4 * 1024 * 1024
const [LF, CR, SPACE] = Buffer.from('\n\r ')

/** Byte order marks and their encodings. UTF-32 is taken for UTF-16. */
const MARKS: readonly (readonly [bytes: readonly number[], encoding: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
]

const MARK_BYTES_MAX = 3
/** Bytes of white space after which the format is guessed. */
const PEEK_BYTES = 4096

type Decoder = InstanceType<typeof TextDecoder>

export interface Piece {
  /** Whole records, in a buffer of their own. */
  bytes: Uint8Array<ArrayBuffer>
  end: Position
}

export interface Position {
  /** Bytes of UTF-8 from the beginning of the input. */
  inputEnd: number
  /** CRC-32 of these bytes. */
  inputCrc: number
}

/** Opens `file`, or standard input for `-`, as UTF-8. @throws InputError for an unknown `encoding` */
export async function openInput(
  file: string,
  encoding: string | undefined,
): Promise<{ isMarked: boolean; utf8: AsyncGenerator<Buffer> }> {
  const named = decoderOf(encoding)
  const [rawStart, raw] = await peek(
    file === '-' ? process.stdin : createReadStream(file, { highWaterMark: READ_BYTES }),
  )
  const isGzip = /\.gz$/i.test(file) || (rawStart[0] === 0x1f && rawStart[1] === 0x8b)
  const [start, bytes] = await peek(isGzip ? unpack(raw, file) : raw)
  const found = MARKS.find(([mark]) => mark.every((byte, i) => start[i] === byte))
  const decoder = encoding === undefined ? decoderOf(found?.[1]) : named
  return { isMarked: found !== undefined, utf8: decoded(bytes, found?.[0].length ?? 0, decoder) }
}

/** Yields the input as UTF-8, without its first `markBytes`. */
async function* decoded(
  input: AsyncGenerator<Buffer>,
  markBytes: number,
  decoder: Decoder | undefined,
): AsyncGenerator<Buffer> {
  let skipped = markBytes
  for await (const read of input) {
    const bytes = read.subarray(skipped)
    skipped = 0
    yield decoder === undefined ? bytes : decode(decoder, bytes)
  }
  if (decoder !== undefined) yield decode(decoder, undefined)
}

/** Returns the start of `pieces`, up to a character that is no white space, and then all pieces. */
export async function peek(pieces: AsyncIterable<Buffer>): Promise<[start: Buffer, AsyncGenerator<Buffer>]> {
  const rest = pieces[Symbol.asyncIterator]()
  let start: Buffer = Buffer.alloc(0)
  while (start.length < MARK_BYTES_MAX || (start.length < PEEK_BYTES && start.every(byte => byte <= SPACE))) {
    const { value, done } = await rest.next()
    if (done === true) break
    start = Buffer.concat([start, value])
  }
  const all = async function* () {
    try {
      if (start.length > 0) yield start
      yield* { [Symbol.asyncIterator]: () => rest }
    } finally {
      await rest.return?.()
    }
  }
  return [start, all()]
}

/** Guesses the format from the first bytes of the input. */
export function formatOf(start: Buffer): Format | 'json' {
  const first = start.find(byte => byte > SPACE)
  return first === BRACE_OPEN ? 'ndjson' : first === BRACKET_OPEN ? 'json' : 'csv'
}

/** Unpacks gzip. @throws the error of zlib, with the file in its message */
async function* unpack(packed: AsyncGenerator<Buffer>, file: string): AsyncGenerator<Buffer> {
  try {
    yield* pipeline(Readable.from(packed), createGunzip(), () => {})
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      error.message = `${file} cannot be unpacked as gzip: ${error.message}`
    throw error
  }
}

/** Yields the elements of a JSON array as lines. @throws InputError if it is not one whole array */
export async function* elementsOf(utf8: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const state = { ...ARRAY_START }
  for await (const bytes of utf8) yield linesOf(bytes, state)
  if (!state.isEnded) throw new InputError('the JSON array has no end: the input is incomplete')
}

/** State before the first byte of a JSON array. */
const ARRAY_START = { depth: 0, isText: false, isEscaped: false, isEnded: false, elementBytes: 0, commas: 0 }

/** Returns the next bytes of a JSON array as lines. Fields instead of locals cost five times as much. */
function linesOf(bytes: Buffer, state: typeof ARRAY_START): Buffer {
  const lines = Buffer.allocUnsafe(bytes.length)
  let { depth, isText, isEscaped, isEnded, elementBytes, commas } = state
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    let written = byte
    if (isText) {
      if (!isEscaped && byte === QUOTE) isText = false
      isEscaped = !isEscaped && byte === BACKSLASH
    } else if (depth <= 1 && byte <= SPACE) continue
    else if (byte === LF || byte === CR) written = SPACE
    else if (depth === 0 && (isEnded || byte !== BRACKET_OPEN))
      throw new InputError('the input is not one JSON array: for one object per line, use --from ndjson')
    else if (byte === QUOTE) isText = true
    else if ((byte === BRACE_OPEN || byte === BRACKET_OPEN) && depth++ === 0) continue
    else if ((byte === BRACE_CLOSE || byte === BRACKET_CLOSE) && --depth === 0) {
      if (byte === BRACE_CLOSE || (commas > 0 && elementBytes === 0)) throw malformedError(commas)
      isEnded = true
      continue
    } else if (depth === 1 && byte === COMMA) {
      if (elementBytes === 0) throw malformedError(commas)
      commas++
      elementBytes = -1
      written = LF
    }
    elementBytes++
    lines[length++] = written
  }
  Object.assign(state, { depth, isText, isEscaped, isEnded, elementBytes, commas })
  return lines.subarray(0, length)
}

function malformedError(commas: number): InputError {
  return new InputError(
    `the JSON array is malformed after its element ${commas}: expected an element and a comma or ]`,
  )
}

/** Returns `bytes` as UTF-8. @param bytes undefined at the end, for bytes that the decoder has kept */
function decode(decoder: Decoder, bytes: Buffer | undefined): Buffer {
  try {
    return Buffer.from(decoder.decode(bytes, { stream: bytes !== undefined }))
  } catch {
    throw new InputError(`the input is not ${decoder.encoding}: name its encoding with --encoding`)
  }
}

/** Returns a decoder; undefined for UTF-8, which readers check. @throws InputError for an unknown encoding */
function decoderOf(encoding = 'utf-8'): Decoder | undefined {
  try {
    const decoder = new TextDecoder(encoding, { fatal: true })
    return decoder.encoding === 'utf-8' ? undefined : decoder
  } catch {
    throw new InputError(
      `the encoding ${encoding} is unknown: use a name such as windows-1252, utf-16le or shift_jis`,
    )
  }
}

/** Cuts UTF-8 into pieces of whole records. Pieces have at most `pieceBytes`, unless a record is larger. */
export class PieceReader {
  readonly #source: AsyncIterator<Buffer>
  readonly #format: Format
  readonly #pieceBytes: number
  delimiter = ','
  /** Bytes that have been read, but are in no piece yet. */
  #rest: Buffer = Buffer.alloc(0)
  /** Beginning of `#rest`. */
  position: Position = { inputEnd: 0, inputCrc: 0 }
  #isEnded = false

  constructor(source: AsyncIterable<Buffer>, format: Format, pieceBytes = READ_BYTES) {
    this.#source = source[Symbol.asyncIterator]()
    this.#format = format
    this.#pieceBytes = pieceBytes
  }

  /** Returns the next line without consuming it; undefined at the end. `bytes` includes the line end. */
  async firstLine(): Promise<{ line: Buffer; lineEnd: '\n' | '\r\n'; bytes: number } | undefined> {
    while (this.#rest.indexOf(LF) < 0 && this.#rest.length <= RECORD_BYTES_MAX && (await this.#readMore()));
    if (this.#rest.length === 0) return undefined
    const found = this.#rest.indexOf(LF)
    const end = found < 0 ? this.#rest.length : found
    if (end > RECORD_BYTES_MAX) throw tooLongError()
    const isCrLf = end > 0 && this.#rest[end - 1] === CR
    const line = this.#rest.subarray(0, isCrLf ? end - 1 : end)
    if (line.includes(0))
      throw new InputError('the input looks like UTF-16: add --encoding utf-16le or utf-16be')
    if (found < 0 && line.includes(CR)) throw new InputError('lines end in CR alone: expected LF or CR LF')
    return { line, lineEnd: isCrLf ? '\r\n' : '\n', bytes: found < 0 ? end : end + 1 }
  }

  /** Skips bytes up to `end`. @throws InputError if the input is shorter */
  async skipTo(end: number): Promise<void> {
    let left = end - this.position.inputEnd
    while (left > this.#rest.length) {
      left -= this.#rest.length
      this.#drop(this.#rest.length)
      if (!(await this.#readMore()))
        throw new InputError(`the input ends ${left} bytes before the position to resume from`)
    }
    this.#drop(left)
  }

  /** Yields the rest of the input. @throws InputError if a record is too long */
  async *pieces(): AsyncGenerator<Piece> {
    for (;;) {
      while (this.#rest.length < this.#pieceBytes && (await this.#readMore()));
      if (this.#rest.length === 0) return
      const end = await this.#wholeRecords()
      // A copy, because its buffer is moved to a thread.
      const bytes = new Uint8Array(this.#rest.subarray(0, end))
      this.#drop(end)
      yield { bytes, end: this.position }
    }
  }

  async #wholeRecords(): Promise<number> {
    for (let bytes = this.#pieceBytes; ; bytes *= 2) {
      const part = this.#rest.subarray(0, bytes)
      const isAll = part.length === this.#rest.length
      const end =
        isAll && this.#isEnded
          ? part.length
          : this.#format === 'csv'
            ? recordsEnd(part, this.delimiter)
            : part.lastIndexOf(LF) + 1
      if (end > 0) return end
      if (part.length > RECORD_BYTES_MAX) throw tooLongError()
      if (isAll) await this.#readMore()
    }
  }

  #drop(bytes: number): void {
    const { inputEnd, inputCrc } = this.position
    this.position = {
      inputEnd: inputEnd + bytes,
      inputCrc: crc32(this.#rest.subarray(0, bytes), inputCrc),
    }
    this.#rest = this.#rest.subarray(bytes)
  }

  async #readMore(): Promise<boolean> {
    const { done, value } = await this.#source.next()
    if (done === true) {
      this.#isEnded = true
      return false
    }
    this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value])
    return true
  }

  async close(): Promise<void> {
    await this.#source.return?.()
  }
}

function tooLongError(): InputError {
  return new InputError(
    `a record has more than ${RECORD_BYTES_MAX} bytes: check for a quote that is not closed, and that lines end in LF`,
  )
}
