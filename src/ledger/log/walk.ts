/** Reads every frame of a ledger in order and distinguishes a torn tail from damage. */

import { decodePayload } from '../decode-payload.ts'
import type { FileSystem } from '../disk/file-system.ts'
import { type NumberedFile, readWhole } from '../disk/files.ts'
import { type Finding, LedgerError, REMEDY_RESTORE } from '../errors.ts'
import type { Payload } from '../event.ts'
import { UnknownClassError } from '../usage-rows.ts'
import { decodeFileHeader, FILE_HEADER_BYTES, hex, newerFormat, SEGMENT_MAGIC } from './file-header.ts'
import { type Chain, FRAME_HEADER_BYTES, provenDurable, readFrames } from './frame.ts'

/** A place in a ledger that is known to be sound, from which reading can start. */
export interface Anchor extends Chain {
  /** Null before the first segment is read. */
  ledgerId: Buffer | null
}

export const GENESIS: Readonly<Anchor> = { sequence: 0, crc: 0, epoch: 0, ledgerId: null }

export interface TornTail {
  file: string
  /** First byte to cut; 0 when not even the header is whole. */
  offset: number
  bytes: Buffer
  finding: Finding
}

/** A segment to append to: its sound length, and the version that its frames follow. */
export interface LastSegment {
  path: string
  bytes: number
  version: number
}

/** How far the ledger is sound. */
export interface Walked extends Anchor {
  segments: number
  /** Null when there is none to append to. */
  last: LastSegment | null
  torn: TornTail | null
  /** Format version of the segment that was read last. */
  version: number
}

/** Called for each frame. */
export type Visit = (sequence: number, epoch: number, payload: Payload) => void

/**
 * Walks all segments after `anchor` and calls `visit` for each of their frames. `durableSequence` is what the meter knows
 * to be synced: a ledger that ends before it has lost something. Cost: 0.6 us a frame, memory of one segment.
 * @throws LedgerError DAMAGED or NEWER_FORMAT
 */
export async function walkLedger(
  fs: FileSystem,
  segments: readonly NumberedFile[],
  anchor: Anchor,
  durableSequence: number,
  visit: Visit,
): Promise<Walked> {
  const walked: Walked = { ...anchor, segments: 0, last: null, torn: null, version: 0 }
  const needed = segmentsAfter(segments, anchor)
  for (const [index, segment] of needed.entries()) {
    const bytes = await readWhole(fs, segment.path)
    const isLast = index === needed.length - 1
    const stop =
      startSegment(walked, anchor, segment, bytes) ?? walkSegment(walked, anchor, segment, bytes, visit)
    walked.segments++
    if (stop === null) walked.last = { path: segment.path, bytes: bytes.length, version: walked.version }
    else if (isLast) judgeTail(walked, bytes, stop, durableSequence)
    else throw new LedgerError('DAMAGED', stop.finding)
  }
  const end = needed.at(-1)?.path ?? 'the ledger'
  expectReach(walked, anchor.sequence, end, 'which its snapshot includes', REMEDY_SNAPSHOT)
  expectReach(walked, durableSequence, end, 'which had been synced, as the meter says', REMEDY_METER_AHEAD)
  return walked
}

/** The segments that hold frames after `anchor`, and the last one in any case. */
export function segmentsAfter(segments: readonly NumberedFile[], anchor: Anchor): NumberedFile[] {
  return segments.filter((_, index) => (segments[index + 1]?.sequence ?? Infinity) > anchor.sequence + 1)
}

/** Where reading ended early: what was found, and the offset of the frame, or 0 when the header itself is not whole. */
interface Stop {
  finding: Finding
  offset: number
}

/**
 * Checks that a segment continues what was read before it, and moves `walked` to its start. Only a header that nothing
 * follows can be torn: it was synced before its first frame.
 */
function startSegment(walked: Walked, anchor: Anchor, segment: NumberedFile, bytes: Buffer): Stop | null {
  const header = decodeFileHeader(segment.path, SEGMENT_MAGIC, bytes)
  if ('found' in header) {
    if (bytes.length <= FILE_HEADER_BYTES) return { finding: header, offset: 0 }
    throw new LedgerError('DAMAGED', header)
  }
  expectHeader(segment, 32, 'sequence number', header.sequence, segment.sequence)
  walked.ledgerId ??= header.ledgerId
  walked.version = header.version
  expectHeader(segment, 16, 'ledger id', header.ledgerId.toString('hex'), walked.ledgerId.toString('hex'))
  if (walked.segments === 0 && header.sequence <= anchor.sequence) {
    walked.sequence = header.sequence - 1
    walked.crc = header.chainCrc
    walked.epoch = 0
    return null
  }
  expectHeader(segment, 32, 'first sequence number', header.sequence, walked.sequence + 1)
  expectHeader(segment, 40, 'chain', hex(header.chainCrc), hex(walked.crc))
  return null
}

/** Visits the frames after the anchor, up to the first fault. */
function walkSegment(
  walked: Walked,
  anchor: Anchor,
  { path }: NumberedFile,
  bytes: Buffer,
  visit: Visit,
): Stop | null {
  const fault = readFrames(bytes, FILE_HEADER_BYTES, walked, (chain, start, end) => {
    const offset = start - FRAME_HEADER_BYTES
    if (chain.sequence < anchor.sequence) return
    if (chain.sequence === anchor.sequence) return expectAnchor(chain, anchor, path, offset)
    try {
      visit(chain.sequence, chain.epoch, decodePayload(bytes, start, end, walked.version))
    } catch (error) {
      throw contradiction(path, offset, chain.sequence, error)
    }
  })
  if (fault === null) return null
  const { frameOffset, offset, found, expected } = fault
  return { finding: { file: path, offset, found, expected, remedy: REMEDY_RESTORE }, offset: frameOffset }
}

/** A stop in the last segment: torn and noted in `walked`, or thrown as damage. FORMAT.md states the rule. */
function judgeTail(walked: Walked, bytes: Buffer, stop: Stop, durableSequence: number): void {
  const { finding, offset } = stop
  const missing = walked.sequence + 1
  if (missing <= Math.max(durableSequence, provenDurable(bytes, offset, missing))) {
    throw new LedgerError('DAMAGED', finding)
  }
  if (offset > 0) walked.last = { path: finding.file, bytes: offset, version: walked.version }
  walked.torn = { file: finding.file, offset, bytes: bytes.subarray(offset), finding }
}

function expectHeader<T>(segment: NumberedFile, offset: number, name: string, found: T, expected: T): void {
  if (found === expected) return
  const remedy = `A file is missing, foreign or out of place. ${REMEDY_RESTORE}`
  throw new LedgerError('DAMAGED', {
    file: segment.path,
    offset,
    found: `${name} ${found}`,
    expected: `${expected}`,
    remedy,
  })
}

function expectAnchor(chain: Chain, anchor: Anchor, file: string, offset: number): void {
  if (chain.crc === anchor.crc) return
  const expected = `${hex(anchor.crc)}, as the snapshot says`
  const remedy = 'Segments and snapshot are of different histories: restore the whole folder from one backup.'
  throw new LedgerError('DAMAGED', { file, offset, found: `frame CRC ${hex(chain.crc)}`, expected, remedy })
}

const REMEDY_SNAPSHOT = `Entries that the snapshot adds up are missing. ${REMEDY_RESTORE}`
/** What a copy of a running service's folder looks like, when its meter was copied after its segments. */
const REMEDY_METER_AHEAD =
  'Acknowledged entries are missing: use the folder that has them. A copy of the folder of a running service is not ' +
  'a backup: make one with `postrie backup <folder>`. To start from what this ledger holds and give up the rest, move ' +
  'the file `meter` away.'

function expectReach(walked: Walked, sequence: number, file: string, why: string, remedy: string): void {
  if (walked.sequence >= sequence) return
  throw new LedgerError('DAMAGED', {
    file,
    offset: walked.last?.bytes ?? 0,
    found: `the end of the ledger after sequence ${walked.sequence}`,
    expected: `sequence ${sequence}, ${why}`,
    remedy,
  })
}

function contradiction(file: string, offset: number, sequence: number, error: unknown): LedgerError {
  if (error instanceof LedgerError) return error
  if (error instanceof UnknownClassError) return newerFormat(file, offset, error)
  const found = `an impossible entry: ${error instanceof Error ? error.message : String(error)}`
  const finding = {
    file,
    offset,
    found,
    expected: `sequence ${sequence} to follow from the book`,
    remedy: REMEDY_RESTORE,
  }
  return new LedgerError('DAMAGED', finding, { cause: error })
}
