import { PAYLOAD_BYTES_MAX } from '../../limits.ts'
import { crc32Of } from '../disk/crc32.ts'
import { hex } from './file-header.ts'

/** Where a reader or writer stands in the log: the last frame it has passed. */
export interface Chain {
  sequence: number
  crc: number
  epoch: number
}

export const FRAME_HEADER_BYTES = 28

/** The first thing in a file that is not a sound frame. */
export interface Fault {
  /** Start of the frame, and of the field in it that does not fit. */
  frameOffset: number
  offset: number
  found: string
  expected: string
}

/** @throws RangeError for a payload that no reader would accept, or that exceeds the writer's own bound */
export function expectPayload({ length }: Uint8Array, bytesMax = PAYLOAD_BYTES_MAX): void {
  if (length >= 1 && length <= bytesMax) return
  throw new RangeError(`a ledger frame has 1 to ${bytesMax} bytes of payload, not ${length}`)
}

/**
 * Encodes `payloads` as the next frames after `chain`, one batch, and moves `chain` past them.
 * @throws RangeError for a payload beyond the reader's bounds, before `chain` has moved
 */
export function encodeBatch(payloads: readonly Uint8Array[], chain: Chain): Buffer {
  for (const payload of payloads) expectPayload(payload)
  let bytesTotal = 0
  for (const payload of payloads) bytesTotal += FRAME_HEADER_BYTES + payload.length
  const batch = Buffer.allocUnsafe(bytesTotal)
  let offset = 0
  for (const [position, payload] of payloads.entries()) {
    const end = offset + FRAME_HEADER_BYTES + payload.length
    chain.sequence++
    batch.writeUInt32LE(payload.length, offset + 4)
    batch.writeUInt32LE(chain.crc, offset + 8)
    batch.writeUInt32LE(chain.epoch, offset + 12)
    writeU64LE(batch, chain.sequence, offset + 16)
    batch.writeUInt32LE(position, offset + 24)
    batch.set(payload, offset + FRAME_HEADER_BYTES)
    chain.crc = crc32Of(batch, offset + 4, end)
    batch.writeUInt32LE(chain.crc, offset)
    offset = end
  }
  return batch
}

/** What a reader does with a frame: its payload is `bytes[start, end)` of the buffer that is being read. */
export type VisitFrame = (chain: Chain, start: number, end: number) => void

/**
 * Calls `visit` for each sound frame of `bytes` from `start` on and moves `chain` past it. Returns the first fault, or
 * null at the exact end. Cost: about 100 ns a frame and 1 ns a byte, less for long frames; nothing is copied.
 */
export function readFrames(bytes: Buffer, start: number, chain: Chain, visit: VisitFrame): Fault | null {
  let offset = start
  while (offset < bytes.length) {
    const end = frameEnd(bytes, offset)
    if (!isSound(bytes, offset, end, chain)) return describeFault(bytes, offset, end, chain)
    chain.sequence++
    chain.crc = bytes.readUInt32LE(offset)
    chain.epoch = bytes.readUInt32LE(offset + 12)
    visit(chain, offset + FRAME_HEADER_BYTES, end)
    offset = end
  }
  return null
}

function isSound(bytes: Buffer, offset: number, end: number, chain: Chain): boolean {
  return (
    end > 0 &&
    crc32Of(bytes, offset + 4, end) === bytes.readUInt32LE(offset) &&
    bytes.readUInt32LE(offset + 8) === chain.crc &&
    bytes.readUInt32LE(offset + 12) >= chain.epoch &&
    readU64LE(bytes, offset + 16) === chain.sequence + 1
  )
}

/** The first field of an unsound frame that does not fit. */
function describeFault(bytes: Buffer, offset: number, end: number, chain: Chain): Fault {
  const fault = (field: number, found: string, expected: string): Fault => {
    return { frameOffset: offset, offset: offset + field, found, expected }
  }
  if (end === 0) return fault(0, describeRest(bytes, offset), `frame ${chain.sequence + 1}`)
  const stored = bytes.readUInt32LE(offset)
  const crc = crc32Of(bytes, offset + 4, end)
  if (stored !== crc) return fault(0, `frame CRC ${hex(stored)}`, hex(crc))
  const previous = bytes.readUInt32LE(offset + 8)
  if (previous !== chain.crc) return fault(8, `a frame chained to ${hex(previous)}`, hex(chain.crc))
  const epoch = bytes.readUInt32LE(offset + 12)
  if (epoch < chain.epoch) return fault(12, `writer epoch ${epoch}`, `${chain.epoch} or later`)
  return fault(16, `sequence number ${readU64LE(bytes, offset + 16)}`, `${chain.sequence + 1}`)
}

/** End of the frame that seems to start at `offset`, or 0 when its length is impossible or passes the end of the file. */
function frameEnd(bytes: Buffer, offset: number): number {
  if (offset + FRAME_HEADER_BYTES >= bytes.length) return 0
  const length = bytes.readUInt32LE(offset + 4)
  if (length === 0 || length > PAYLOAD_BYTES_MAX) return 0
  const end = offset + FRAME_HEADER_BYTES + length
  return end > bytes.length ? 0 : end
}

function describeRest(bytes: Buffer, offset: number): string {
  const rest = bytes.length - offset
  if (rest < FRAME_HEADER_BYTES) return `${rest} bytes, less than a frame header`
  return `a payload length of ${bytes.readUInt32LE(offset + 4)} with ${rest - FRAME_HEADER_BYTES} bytes left`
}

/**
 * The highest sequence number that some intact frame in `bytes` from `start` on proves to have been synced, or 0. Tries
 * every offset, since damage hides where frames begin; the CRC is computed only where length and sequence are plausible.
 */
export function provenDurable(bytes: Buffer, start: number, sequenceMin: number): number {
  let proven = 0
  for (let offset = start; offset + FRAME_HEADER_BYTES < bytes.length; offset++) {
    const sequence = readU64LE(bytes, offset + 16)
    if (sequence < sequenceMin || sequence > sequenceMin + bytes.length) continue
    const end = frameEnd(bytes, offset)
    if (end === 0 || crc32Of(bytes, offset + 4, end) !== bytes.readUInt32LE(offset)) continue
    proven = Math.max(proven, sequence - 1 - bytes.readUInt32LE(offset + 24))
  }
  return proven
}

function readU64LE(bytes: Buffer, offset: number): number {
  return bytes.readUInt32LE(offset) + bytes.readUInt32LE(offset + 4) * 2 ** 32
}

function writeU64LE(bytes: Buffer, value: number, offset: number): void {
  bytes.writeUInt32LE(value % 2 ** 32, offset)
  bytes.writeUInt32LE(Math.floor(value / 2 ** 32), offset + 4)
}
