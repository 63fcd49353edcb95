/**
 * The few forms of MessagePack that records of keys have, read and written in place. A library makes an object, an array
 * and a text for each value; a start reads millions of them and needs almost none.
 */

/** Where reading stands in `bytes`, which ends at `end`. */
export interface Cursor {
  readonly bytes: Buffer
  readonly view: DataView
  offset: number
  readonly end: number
}

export function cursorOf(bytes: Buffer, start: number, end: number): Cursor {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length), offset: start, end }
}

/** Whether an array comes next. */
export function isArrayNext({ bytes, offset }: Cursor): boolean {
  const marker = bytes[offset]
  return (marker & 0xf0) === 0x90 || marker === 0xdc || marker === 0xdd
}

/** Number of values of the array that comes next. @throws Error when it is not an array */
export function readArrayLength(cursor: Cursor): number {
  const marker = nextByte(cursor)
  if ((marker & 0xf0) === 0x90) return marker & 0x0f
  if (marker === 0xdc) return readUint(cursor, 2)
  if (marker === 0xdd) return readUint(cursor, 4)
  throw unexpected(marker, 'an array')
}

/** Number of bytes of the binary value that comes next; the cursor is then at the first of them. @throws Error */
export function readBinaryLength(cursor: Cursor): number {
  const marker = nextByte(cursor)
  if (marker === 0xc4) return readUint(cursor, 1)
  if (marker === 0xc5) return readUint(cursor, 2)
  if (marker === 0xc6) return readUint(cursor, 4)
  throw unexpected(marker, 'bytes')
}

/** A count or an amount. @throws Error for anything else than a non-negative safe integer */
export function readCount(cursor: Cursor): number {
  const value = readNumber(cursor)
  if (Number.isSafeInteger(value)) return value
  throw new Error(`the number ${value}, not a non-negative integer`)
}

/** A number that is not negative. The times of a ledger need not be whole. @throws Error for anything else */
export function readNumber(cursor: Cursor): number {
  const marker = nextByte(cursor)
  if (marker < 0x80) return marker
  if (marker === 0xcc) return readUint(cursor, 1)
  if (marker === 0xcd) return readUint(cursor, 2)
  if (marker === 0xce) return readUint(cursor, 4)
  if (marker !== 0xcb) throw unexpected(marker, 'a non-negative number')
  advance(cursor, 8)
  const value = cursor.view.getFloat64(cursor.offset - 8)
  if (value >= 0 && value < Number.POSITIVE_INFINITY) return value
  throw new Error(`the number ${value}, not a non-negative one`)
}

export function readCountOrNull(cursor: Cursor): number | null {
  if (cursor.bytes[cursor.offset] !== NIL) return readCount(cursor)
  cursor.offset++
  return null
}

export function isTextNext({ bytes, offset }: Cursor): boolean {
  const marker = bytes[offset]
  return (marker & 0xe0) === 0xa0 || (marker >= 0xd9 && marker <= 0xdb)
}

/** @throws Error when no text comes next */
export function readText(cursor: Cursor): string {
  const { bytes, offset } = cursor
  skipText(cursor)
  return textAt(bytes, offset)
}

/** Passes the text that comes next. @throws Error when it is not a text */
export function skipText(cursor: Cursor): void {
  cursor.offset = textEnd(cursor.bytes, cursor.offset)
  if (cursor.offset > cursor.end) throw new Error('the payload ends within a text')
}

/** The text at `offset`. */
export function textAt(bytes: Buffer, offset: number): string {
  return bytes.toString('utf8', offset + textHeaderBytes(bytes, offset), textEnd(bytes, offset))
}

/** Where the text at `offset` ends. @throws Error when there is no text */
export function textEnd(bytes: Uint8Array, offset: number): number {
  const header = textHeaderBytes(bytes, offset)
  if (header === 1) return offset + 1 + (bytes[offset] & 0x1f)
  let length = 0
  for (let at = offset + 1; at < offset + header; at++) length = length * 256 + bytes[at]
  return offset + header + length
}

/** Bytes before the characters of the text at `offset`. */
export function textHeaderBytes(bytes: Uint8Array, offset: number): number {
  const marker = bytes[offset]
  if ((marker & 0xe0) === 0xa0) return 1
  if (marker >= 0xd9 && marker <= 0xdb) return 1 + (1 << (marker - 0xd9))
  throw unexpected(marker, 'a text')
}

/** Passes any value. @throws Error for one that the ledger never writes: an extension, an integer of 64 bits */
export function skipValue(cursor: Cursor): void {
  const marker = nextByte(cursor)
  if (marker < 0x80 || marker >= 0xe0) return
  if (marker < 0x90) return skipValues(cursor, 2 * (marker & 0x0f))
  if (marker < 0xa0) return skipValues(cursor, marker & 0x0f)
  if (marker < 0xc0) return advance(cursor, marker & 0x1f)
  switch (marker) {
    case NIL:
    case 0xc2:
    case 0xc3:
      return
    case 0xc4:
    case 0xd9:
      return advance(cursor, readUint(cursor, 1))
    case 0xc5:
    case 0xda:
      return advance(cursor, readUint(cursor, 2))
    case 0xc6:
    case 0xdb:
      return advance(cursor, readUint(cursor, 4))
    case 0xcc:
    case 0xd0:
      return advance(cursor, 1)
    case 0xcd:
    case 0xd1:
      return advance(cursor, 2)
    case 0xca:
    case 0xce:
    case 0xd2:
      return advance(cursor, 4)
    case 0xcb:
      return advance(cursor, 8)
    case 0xdc:
      return skipValues(cursor, readUint(cursor, 2))
    case 0xdd:
      return skipValues(cursor, readUint(cursor, 4))
    case 0xde:
      return skipValues(cursor, 2 * readUint(cursor, 2))
    case 0xdf:
      return skipValues(cursor, 2 * readUint(cursor, 4))
    default:
      throw unexpected(marker, 'a plain value')
  }
}

function skipValues(cursor: Cursor, count: number): void {
  for (let index = 0; index < count; index++) skipValue(cursor)
}

function nextByte(cursor: Cursor): number {
  if (cursor.offset >= cursor.end) throw new Error('the payload ends within a record')
  return cursor.bytes[cursor.offset++]
}

function readUint(cursor: Cursor, bytes: number): number {
  advance(cursor, bytes)
  let number = 0
  for (let at = cursor.offset - bytes; at < cursor.offset; at++) number = number * 256 + cursor.bytes[at]
  return number
}

function advance(cursor: Cursor, bytes: number): void {
  cursor.offset += bytes
  if (cursor.offset > cursor.end) throw new Error('the payload ends within a record')
}

function unexpected(marker: number, expected: string): Error {
  return new Error(`a value that begins with byte 0x${marker?.toString(16)}, not ${expected}`)
}

const NIL = 0xc0

/** The longest form of a number, and of what stands before a text or bytes. */
export const NUMBER_BYTES_MAX = 9
export const HEADER_BYTES_MAX = 5

/** Writes the header of an array of fewer than 65,536 values. Returns where it ends, as all that write do. */
export function writeArrayLength(bytes: Buffer, offset: number, length: number): number {
  if (length < 16) return bytes.writeUInt8(0x90 | length, offset)
  bytes[offset] = 0xdc
  return bytes.writeUInt16BE(length, offset + 1)
}

/** Writes a non-negative integer of up to 32 bits in its shortest form, any other number as a double. @throws RangeError */
export function writeNumber(bytes: Buffer, offset: number, count: number): number {
  if (!(count >= 0)) throw new RangeError(`the number ${count} cannot be stored: it is negative`)
  if (!Number.isInteger(count)) return writeDouble(bytes, offset, count)
  if (count < 0x80) {
    bytes[offset] = count
    return offset + 1
  }
  if (count < 0x1_00) {
    bytes[offset] = 0xcc
    bytes[offset + 1] = count
    return offset + 2
  }
  if (count < 0x1_00_00) {
    bytes[offset] = 0xcd
    return bytes.writeUInt16BE(count, offset + 1)
  }
  if (count < 0x1_00_00_00_00) {
    bytes[offset] = 0xce
    return bytes.writeUInt32BE(count, offset + 1)
  }
  return writeDouble(bytes, offset, count)
}

function writeDouble(bytes: Buffer, offset: number, number: number): number {
  bytes[offset] = 0xcb
  return bytes.writeDoubleBE(number, offset + 1)
}

export function writeNumberOrNull(bytes: Buffer, offset: number, count: number | null): number {
  if (count !== null) return writeNumber(bytes, offset, count)
  bytes[offset] = NIL
  return offset + 1
}

/** Writes the header of so many bytes; those come next. */
export function writeBinaryLength(bytes: Buffer, offset: number, length: number): number {
  return writeLength(bytes, offset, length, 0xc4)
}

/** Writes a text, which takes HEADER_BYTES_MAX and three bytes a character at most. */
export function writeText(bytes: Buffer, offset: number, text: string): number {
  const length = Buffer.byteLength(text)
  const start =
    length < 0x20 ? bytes.writeUInt8(0xa0 | length, offset) : writeLength(bytes, offset, length, 0xd9)
  return start + bytes.write(text, start)
}

/** `marker` is that of a length in one byte; those of two and four follow it. */
function writeLength(bytes: Buffer, offset: number, length: number, marker: number): number {
  if (length < 0x1_00) {
    bytes[offset] = marker
    return bytes.writeUInt8(length, offset + 1)
  }
  if (length < 0x1_00_00) {
    bytes[offset] = marker + 1
    return bytes.writeUInt16BE(length, offset + 1)
  }
  bytes[offset] = marker + 2
  return bytes.writeUInt32BE(length, offset + 1)
}
