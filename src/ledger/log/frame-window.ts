/** Reads the frames of a file of any length through a window in memory. */
import { FRAME_WINDOW_BYTES } from '../../limits.ts'
import type { OpenFile } from '../disk/file-system.ts'
import { readFully } from '../disk/files.ts'
import { type Chain, type Fault, readFrames } from './frame.ts'

/** A payload is `bytes[start, end)`; the bytes stay as they are for as long as anything refers to them. */
export type VisitWindow = (bytes: Buffer, start: number, end: number) => void

/**
 * As `readFrames`, from `position` to the end of `file`. Offsets of a fault are those of the file. A fault at the edge of
 * a window may be a frame cut in two, so its frame is read again at the start of the next window, which holds two of any
 * size. Memory: one window.
 */
export async function readFramesOf(
  file: OpenFile,
  position: number,
  chain: Chain,
  visit: VisitWindow,
  windowBytes = FRAME_WINDOW_BYTES,
): Promise<Fault | null> {
  const size = await file.size()
  let windowStart = position
  for (;;) {
    const bytes = Buffer.allocUnsafe(Math.min(windowBytes, size - windowStart))
    const length = await readFully(file, bytes, windowStart)
    const window = bytes.subarray(0, length)
    const fault = readFrames(window, 0, chain, (_, start, end) => visit(window, start, end))
    const isLast = length < bytes.length || windowStart + length >= size
    if (fault === null && isLast) return null
    if (fault !== null && (isLast || fault.frameOffset === 0)) {
      const { frameOffset, offset } = fault
      return { ...fault, frameOffset: windowStart + frameOffset, offset: windowStart + offset }
    }
    windowStart += fault === null ? length : fault.frameOffset
  }
}
