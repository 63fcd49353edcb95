/** Frames in memory and in files. FORMAT.md has the table of offsets. */
import { crc32 } from 'node:zlib'
import type { OpenFile } from '../disk/file-system.ts'
import { readFully } from '../disk/files.ts'
import type { Flaw } from '../ledger-error.ts'
import { FILE_HEADER_BYTES, hex } from './file-header.ts'

/** Maximum bytes of a frame's payload in the files of the ledger. Readers refuse more, so writers throw. */
export const PAYLOAD_BYTES_MAX = 16 * 1024 * 1024
/** Bytes read at a time from a snapshot, whose length has no bound. */
const FRAME_WINDOW_BYTES = 4 * 1024 * 1024

/** Position of a reader or writer: the last frame that it has passed. */
export type Chain = { sequence: number; crc: number; epoch: number }

const FRAME_HEADER_BYTES = 28
const FRAME_BYTES_MAX = FRAME_HEADER_BYTES + PAYLOAD_BYTES_MAX

/** @throws RangeError for an empty payload or one above `bytesMax` */
export function expectPayload({ length }: Uint8Array, bytesMax: number): void {
  if (length >= 1 && length <= bytesMax) return
  throw new RangeError(`a ledger frame has 1 to ${bytesMax} bytes of payload, not ${length}`)
}

/** Encodes `payloads`, which `expectPayload` accepts, as one batch and moves `chain` past it. */
export function encodeBatch(payloads: readonly Uint8Array[], chain: Chain): Buffer {
  const batch = Buffer.allocUnsafe(payloads.reduce((sum, { length }) => sum + FRAME_HEADER_BYTES + length, 0))
  let offset = 0
  for (const [position, payload] of payloads.entries()) {
    const end = offset + FRAME_HEADER_BYTES + payload.length
    chain.sequence++
    batch.writeUInt32LE(payload.length, offset + 4)
    batch.writeUInt32LE(chain.crc, offset + 8)
    batch.writeUInt32LE(chain.epoch, offset + 12)
    batch.writeBigUInt64LE(BigInt(chain.sequence), offset + 16)
    batch.writeUInt32LE(position, offset + 24)
    batch.set(payload, offset + FRAME_HEADER_BYTES)
    chain.crc = crc32(batch.subarray(offset + 4, end))
    batch.writeUInt32LE(chain.crc, offset)
    offset = end
  }
  return batch
}

/** Called for each sound frame, with its offset. The payload is a view that is overwritten later. */
type VisitFrame = (payload: Buffer, offset: number, batchPosition: number) => void

/** Reads `file` by windows, and moves `chain` past each sound frame. Returns the first flaw, or null. */
export async function readFramesOf(file: OpenFile, chain: Chain, visit: VisitFrame): Promise<Flaw | null> {
  const size = await file.size()
  let window = Buffer.allocUnsafe(Math.max(0, Math.min(FRAME_WINDOW_BYTES, size - FILE_HEADER_BYTES)))
  let start = FILE_HEADER_BYTES
  let rest = 0
  for (;;) {
    const read = await readFully(file, window.subarray(rest), start + rest)
    const bytes = window.subarray(0, rest + read)
    const isLast = bytes.length < window.length || start + bytes.length >= size
    const flaw = readFrames(bytes, start, chain, visit)
    if (isLast && flaw === null) return null
    const frameOffset = flaw === null ? bytes.length : flaw.frameOffset - start
    // Near the end of a window, a flaw may be a frame that continues in the next window.
    if (flaw !== null && (isLast || bytes.length - frameOffset >= FRAME_BYTES_MAX)) return flaw
    rest = bytes.length - frameOffset
    start += frameOffset
    if (rest > window.length / 2)
      window = Buffer.concat([bytes.subarray(frameOffset)], rest + FRAME_WINDOW_BYTES)
    else bytes.copy(window, 0, frameOffset)
  }
}

/** Reads the frames in `bytes`, at `position` of the file. Returns the first flaw; null for none. */
export function readFrames(bytes: Buffer, position: number, chain: Chain, visit: VisitFrame): Flaw | null {
  let offset = 0
  while (offset < bytes.length) {
    const end = frameEnd(bytes, offset)
    const wrong = (field: number, found: string, expected: string): Flaw => {
      return { frameOffset: position + offset, offset: position + offset + field, found, expected }
    }
    if (end === 0) return wrong(0, describeRest(bytes, offset), `frame ${chain.sequence + 1}`)
    const stored = bytes.readUInt32LE(offset)
    const crc = crc32(bytes.subarray(offset + 4, end))
    if (stored !== crc) return wrong(0, `frame CRC ${hex(stored)}`, hex(crc))
    const previous = bytes.readUInt32LE(offset + 8)
    if (previous !== chain.crc) return wrong(8, `a frame chained to ${hex(previous)}`, hex(chain.crc))
    const epoch = bytes.readUInt32LE(offset + 12)
    if (epoch < chain.epoch) return wrong(12, `writer epoch ${epoch}`, `${chain.epoch} or later`)
    const sequence = readU64LE(bytes, offset + 16)
    if (sequence !== chain.sequence + 1)
      return wrong(16, `sequence number ${sequence}`, `${chain.sequence + 1}`)
    chain.sequence = sequence
    chain.crc = crc
    chain.epoch = epoch
    const payload = bytes.subarray(offset + FRAME_HEADER_BYTES, end)
    visit(payload, position + offset, bytes.readUInt32LE(offset + 24))
    offset = end
  }
  return null
}

/** Returns the end of the frame at `offset`; 0 if its length is impossible or exceeds the file. */
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

/** Returns the highest sequence number that later frames prove synced, or 0. Damage hides their starts. */
export function provenDurable(bytes: Buffer, sequenceMin: number): number {
  let proven = 0
  for (let offset = 0; offset + FRAME_HEADER_BYTES < bytes.length; offset++) {
    const sequence = readU64LE(bytes, offset + 16)
    if (sequence < sequenceMin || sequence > sequenceMin + bytes.length) continue
    const end = frameEnd(bytes, offset)
    if (end === 0 || crc32(bytes.subarray(offset + 4, end)) !== bytes.readUInt32LE(offset)) continue
    proven = Math.max(proven, sequence - 1 - bytes.readUInt32LE(offset + 24))
  }
  return proven
}

function readU64LE(bytes: Buffer, offset: number): number {
  return bytes.readUInt32LE(offset) + bytes.readUInt32LE(offset + 4) * 2 ** 32
}
