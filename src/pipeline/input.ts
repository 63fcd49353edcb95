/** The input as pieces of UTF-8 that hold whole records, with the header of CSV apart. */
import { createReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import {
  BACKSLASH,
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  COMMA,
  QUOTE,
} from '../text/json-bytes.ts'
import { recordsEnd } from './csv.ts'
import { InputError } from './input-error.ts'
import type { Format } from './plan.ts'

const READ_BYTES = 256 * 1024
const RECORD_BYTES_MAX = 4 * 1024 * 1024
const [LF, CR, SPACE] = Buffer.from('\n\r ')

/** A byte order mark, and what it says. UTF-32 is not distinguished from UTF-16. */
const MARKS: readonly (readonly [bytes: readonly number[], encoding: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
]

type Decoder = InstanceType<typeof TextDecoder>

export interface Piece {
  /** Whole records, in a buffer of their own. */
  bytes: Uint8Array<ArrayBuffer>
  /** Where it ends, in bytes of UTF-8 from the beginning of the input. */
  end: number
}

/** Says if an input began with a byte order mark, once its first bytes have been read. */
export interface InputMark {
  isMarked: boolean
}

/**
 * The bytes of `file`, or of standard input for `-`, as UTF-8 without a byte order mark, which `mark` notes.
 * @param encoding a label of the Encoding standard @throws InputError for an unknown one
 */
export async function* utf8Of(
  file: string,
  encoding: string | undefined,
  mark: InputMark,
): AsyncGenerator<Buffer> {
  const [start, raw] = await peeked(
    file === '-' ? process.stdin : createReadStream(file, { highWaterMark: READ_BYTES }),
  )
  const isGzip = /\.gz$/i.test(file) || (start[0] === 0x1f && start[1] === 0x8b)
  let decoder: Decoder | undefined
  let isFirst = true
  for await (const read of isGzip ? unpacked(raw, file) : raw) {
    let bytes: Buffer = read
    if (isFirst) {
      isFirst = false
      const found = MARKS.find(([start]) => start.every((byte, i) => bytes[i] === byte))
      mark.isMarked = found !== undefined
      if (found !== undefined) bytes = bytes.subarray(found[0].length)
      decoder = decoderOf(encoding ?? found?.[1])
    }
    yield decoder === undefined ? bytes : decoded(decoder, bytes)
  }
  if (decoder !== undefined) yield decoded(decoder, undefined)
}

/** The first bytes of `pieces`, none of an empty input, and all pieces with these. */
export async function peeked(
  pieces: AsyncIterable<Buffer>,
): Promise<[start: Buffer, AsyncGenerator<Buffer>]> {
  const rest = pieces[Symbol.asyncIterator]()
  const { value, done } = await rest.next()
  const all = async function* () {
    try {
      if (done !== true) yield value
      yield* { [Symbol.asyncIterator]: () => rest }
    } finally {
      await rest.return?.()
    }
  }
  return [done === true ? Buffer.alloc(0) : value, all()]
}

/** The format of an input without a name that says it. */
export function formatOf(start: Buffer): Format | 'json' {
  const first = start.find(byte => byte > SPACE)
  return first === BRACE_OPEN ? 'ndjson' : first === BRACKET_OPEN ? 'json' : 'csv'
}

/** @throws the error of zlib, which then names the file */
async function* unpacked(packed: AsyncGenerator<Buffer>, file: string): AsyncGenerator<Buffer> {
  try {
    // Errors of either end the reading here.
    yield* pipeline(Readable.from(packed), createGunzip(), () => {})
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      error.message = `${file} cannot be unpacked as gzip: ${error.message}`
    throw error
  }
}

/** The elements of a JSON array as lines. @throws InputError when it is something else, or has no end */
export async function* elementsOf(utf8: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let depth = 0
  let isText = false
  let isEscaped = false
  let isEnded = false
  /** Bytes of the present element, and commas so far. */
  let [elementBytes, commas] = [0, 0]
  for await (const bytes of utf8) {
    const lines = Buffer.allocUnsafe(bytes.length)
    let length = 0
    for (const byte of bytes) {
      let written = byte
      if (isText) {
        if (!isEscaped && byte === QUOTE) isText = false
        isEscaped = !isEscaped && byte === BACKSLASH
      } else if (depth <= 1 && byte <= SPACE) continue
      else if (byte === LF || byte === CR) written = SPACE
      else if (depth === 0 && (isEnded || byte !== BRACKET_OPEN))
        throw new InputError(
          'the input is not one JSON array; objects on lines of their own are --from ndjson',
        )
      else if (byte === QUOTE) isText = true
      else if ((byte === BRACE_OPEN || byte === BRACKET_OPEN) && depth++ === 0) continue
      else if ((byte === BRACE_CLOSE || byte === BRACKET_CLOSE) && --depth === 0) {
        if (byte === BRACE_CLOSE || (commas > 0 && elementBytes === 0)) throw malformed(commas)
        isEnded = true
        continue
      } else if (depth === 1 && byte === COMMA) {
        if (elementBytes === 0) throw malformed(commas)
        commas++
        elementBytes = -1
        written = LF
      }
      elementBytes++
      lines[length++] = written
    }
    yield lines.subarray(0, length)
  }
  if (!isEnded) throw new InputError('the JSON array has no end: the input is cut short')
}

function malformed(commas: number): InputError {
  return new InputError(
    `the JSON array is malformed after its element ${commas}: an element and a comma or ] expected`,
  )
}

/** The UTF-8 of `bytes`, or of what the decoder has kept when there are no more. */
function decoded(decoder: Decoder, bytes: Buffer | undefined): Buffer {
  try {
    return Buffer.from(decoder.decode(bytes, { stream: bytes !== undefined }))
  } catch {
    throw new InputError(`the input is not ${decoder.encoding}: name its encoding with --encoding`)
  }
}

/** Undefined for UTF-8, which is checked where it is read. */
function decoderOf(encoding = 'utf-8'): Decoder | undefined {
  try {
    const decoder = new TextDecoder(encoding, { fatal: true })
    return decoder.encoding === 'utf-8' ? undefined : decoder
  } catch {
    throw new InputError(
      `the encoding ${encoding} is unknown; windows-1252, utf-16le or shift_jis are some that are known`,
    )
  }
}

/**
 * Cuts UTF-8 into pieces of whole records, of `pieceBytes` at most where a record is not larger.
 * @throws InputError when a record has no end
 */
export class PieceReader {
  readonly #source: AsyncIterator<Buffer>
  readonly #format: Format
  readonly #pieceBytes: number
  delimiter = ','
  /** Bytes that have been read and not given out. */
  #rest: Buffer = Buffer.alloc(0)
  /** Where `#rest` begins. */
  #at = 0
  #isEnded = false

  constructor(source: AsyncIterable<Buffer>, format: Format, pieceBytes = READ_BYTES) {
    this.#source = source[Symbol.asyncIterator]()
    this.#format = format
    this.#pieceBytes = pieceBytes
  }

  /** The first line without its end, what ended it, and its bytes in all; it stays unread. Undefined for an empty input. */
  async firstLine(): Promise<{ line: Buffer; lineEnd: '\n' | '\r\n'; bytes: number } | undefined> {
    while (this.#rest.indexOf(LF) < 0 && this.#rest.length <= RECORD_BYTES_MAX && (await this.#more()));
    if (this.#rest.length === 0) return undefined
    const found = this.#rest.indexOf(LF)
    const end = found < 0 ? this.#rest.length : found
    if (end > RECORD_BYTES_MAX) throw tooLong()
    const isCrLf = end > 0 && this.#rest[end - 1] === CR
    const line = this.#rest.subarray(0, isCrLf ? end - 1 : end)
    if (line.includes(0))
      throw new InputError('the input looks like UTF-16: name it, as --encoding utf-16le or utf-16be')
    if (found < 0 && line.includes(CR)) throw new InputError('lines end in CR alone, LF or CR LF expected')
    return {
      line,
      lineEnd: isCrLf ? '\r\n' : '\n',
      bytes: found < 0 ? end : end + 1,
    }
  }

  /** Passes over `bytes`, which may have to be read first. @throws InputError when the input is shorter */
  async skip(bytes: number): Promise<void> {
    let left = bytes
    while (left > this.#rest.length) {
      left -= this.#rest.length
      this.#drop(this.#rest.length)
      if (!(await this.#more()))
        throw new InputError(`the input ends ${left} bytes before the place to go on from`)
    }
    this.#drop(left)
  }

  async *pieces(): AsyncGenerator<Piece> {
    for (;;) {
      while (this.#rest.length < this.#pieceBytes && (await this.#more()));
      if (this.#rest.length === 0) return
      const end = await this.#wholeRecords()
      // A buffer of its own, since it is moved to a thread.
      const bytes = new Uint8Array(this.#rest.subarray(0, end))
      this.#drop(end)
      yield { bytes, end: this.#at }
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
      if (part.length > RECORD_BYTES_MAX) throw tooLong()
      if (isAll) await this.#more()
    }
  }

  #drop(bytes: number): void {
    this.#rest = this.#rest.subarray(bytes)
    this.#at += bytes
  }

  async #more(): Promise<boolean> {
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

function tooLong(): InputError {
  return new InputError(
    `a record of more than ${RECORD_BYTES_MAX} bytes: a quote may be opened and not closed, or lines may end otherwise than in LF`,
  )
}
