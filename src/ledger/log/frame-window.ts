/** Reads the frames of a file of any length through windows in memory, one of which is filled while another is read. */
import { FRAME_WINDOW_BYTES, FRAME_WINDOWS_AHEAD, PAYLOAD_BYTES_MAX } from '../../limits.ts'
import type { OpenFile } from '../disk/file-system.ts'
import { readFully } from '../disk/files.ts'
import { type Chain, type Fault, FRAME_HEADER_BYTES, readFrames } from './frame.ts'

/** A payload is `bytes[start, end)`; the bytes stay as they are for as long as anything refers to them. */
export type VisitWindow = (bytes: Buffer, start: number, end: number) => void

/** Room at the start of a window for a frame that the previous one has cut in two. With a larger one, both are copied. */
const ROOM_BYTES = 512 * 1024
const FRAME_BYTES_MAX = FRAME_HEADER_BYTES + PAYLOAD_BYTES_MAX

/**
 * As `readFrames`, from `position` to the end of `file`. Offsets of a fault are those of the file. A fault less than a
 * frame before the end of a window may be a frame cut in two, so its bytes are joined with those of the next window.
 */
export async function readFramesOf(
  file: OpenFile,
  position: number,
  chain: Chain,
  visit: VisitWindow,
  windowBytes = FRAME_WINDOW_BYTES,
): Promise<Fault | null> {
  const size = await file.size()
  const room = size - position > windowBytes ? ROOM_BYTES : 0
  const windows = allocate(size - position, windowBytes, room)
  const fill = (from: number): Promise<Buffer> => {
    const window = windows.pop() ?? Buffer.allocUnsafeSlow(room + windowBytes)
    return fillWindow(file, from, window, room, Math.min(windowBytes, size - from))
  }
  let filling = fill(position)
  let start = position
  let rest: Buffer = Buffer.alloc(0)
  for (;;) {
    const window = await filling
    const bytes = join(rest, window, room)
    const end = start + bytes.length
    const isLast = window.length < room + windowBytes || end >= size
    if (!isLast) filling = fill(end)
    let fault: Fault | null
    try {
      fault = readFrames(bytes, 0, chain, (_, from, to) => visit(bytes, from, to))
    } catch (error) {
      // Nothing may read the file any more when the caller closes it.
      await filling.catch(() => {})
      throw error
    }
    if (isLast && fault === null) return null
    const { frameOffset, offset } = fault ?? { frameOffset: bytes.length, offset: 0 }
    if (fault !== null && (isLast || bytes.length - frameOffset >= FRAME_BYTES_MAX)) {
      await filling
      return { ...fault, frameOffset: start + frameOffset, offset: start + offset }
    }
    rest = bytes.subarray(frameOffset)
    start += frameOffset
  }
}

/**
 * Windows for so many bytes, up to a bound. Each time that more than some memory outside of its heap is added, V8 collects
 * garbage: before anything is kept, that costs nothing.
 */
function allocate(bytes: number, windowBytes: number, room: number): Buffer[] {
  if (bytes <= windowBytes) return [Buffer.allocUnsafeSlow(Math.max(0, bytes))]
  const count = Math.min(FRAME_WINDOWS_AHEAD, Math.ceil(bytes / windowBytes))
  return Array.from({ length: count }, () => Buffer.allocUnsafeSlow(room + windowBytes))
}

/** Fills a window after its room with `bytes` bytes from `from` on. It is shorter when the file has become so. */
async function fillWindow(
  file: OpenFile,
  from: number,
  window: Buffer,
  room: number,
  bytes: number,
): Promise<Buffer> {
  return window.subarray(0, room + (await readFully(file, window.subarray(room, room + bytes), from)))
}

/** `rest` and, right after it, what follows the room of `window`. */
function join(rest: Buffer, window: Buffer, room: number): Buffer {
  if (rest.length > room) return Buffer.concat([rest, window.subarray(room)])
  rest.copy(window, room - rest.length)
  return window.subarray(room - rest.length)
}
