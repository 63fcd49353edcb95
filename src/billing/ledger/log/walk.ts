/** Walks the frames after a snapshot. A broken end is a torn tail, or damage: FORMAT.md has the rule. */
import type { FileSystem, OpenFile } from '../disk/file-system.ts'
import { type NumberedFile, readRest, withFile } from '../disk/files.ts'
import { decodePayload, type Payload } from '../event.ts'
import { damage, damageOf, type Flaw, LedgerError, REMEDY_METER, REMEDY_RESTORE } from '../ledger-error.ts'
import type { MeterImage } from '../meter/meter-image.ts'
import { LEDGER_ID_OFFSET } from '../meter/meter-layout.ts'
import { FILE_HEADER_BYTES, HEADER, hex, readFileHeader, SEGMENT_MAGIC } from './file-header.ts'
import { type Chain, provenDurable, readFramesOf } from './frame.ts'

/** Sound position in a ledger, from which reading can start. */
export type Anchor = Chain & { ledgerId: Buffer | null }

export const GENESIS: Readonly<Anchor> = { sequence: 0, crc: 0, epoch: 0, ledgerId: null }

/** Rest of an unfinished write, from the frame or header with the flaw on. It must be cut. */
export type TornTail = { path: string; flaw: Flaw; bytes: Buffer }

export type LastSegment = { path: string; bytes: number }

export interface Walked extends Anchor {
  segments: number
  last: LastSegment | null
  torn: TornTail | null
  /** Highest sequence number that the meter must have noted; 0 if none. An older meter says less. */
  notedSequence: number
}

export type Visit = (sequence: number, epoch: number, payload: Payload) => void

/** Visits each frame after `anchor`. @throws LedgerError for damage, or for an end before the meter's */
export async function walkLedger(
  fs: FileSystem,
  segments: readonly NumberedFile[],
  anchor: Anchor,
  meter: MeterImage | null,
  visit: Visit,
): Promise<Walked> {
  const walked: Walked = { ...anchor, segments: 0, last: null, torn: null, notedSequence: 0 }
  const needed = segmentsAfter(segments, anchor)
  const durableSequence = meter?.durableSequence ?? 0
  for (const segment of needed) {
    await withFile(fs, segment.path, 'read', async file => {
      const { path } = segment
      const flaw =
        (await startSegment(walked, anchor, meter, segment, file)) ??
        (await walkSegment(walked, anchor, path, file, visit))
      walked.segments++
      if (flaw === null) walked.last = { path, bytes: await file.size() }
      else if (segment !== needed.at(-1)) throw damageOf(path, flaw)
      else {
        const bytes = await readRest(file, path, flaw.frameOffset)
        acceptTail(walked, { path, flaw, bytes }, durableSequence)
      }
    })
  }
  const end = needed.at(-1)?.path ?? 'the ledger'
  expectReach(walked, anchor.sequence, end, 'which its snapshot includes', REMEDY_SNAPSHOT)
  expectReach(walked, durableSequence, end, 'which the meter has noted as synced', REMEDY_METER_AHEAD)
  return walked
}

export function segmentsAfter(segments: readonly NumberedFile[], anchor: Anchor): NumberedFile[] {
  return segments.filter((_, index) => (segments[index + 1]?.sequence ?? Infinity) > anchor.sequence + 1)
}

/** Moves `walked` to the start of a segment. No frames follow a torn header, which is synced first. */
async function startSegment(
  walked: Walked,
  anchor: Anchor,
  meter: MeterImage | null,
  { path, sequence }: NumberedFile,
  file: OpenFile,
): Promise<Flaw | null> {
  const header = await readFileHeader(file, path, SEGMENT_MAGIC)
  if ('found' in header) {
    if ((await file.size()) <= FILE_HEADER_BYTES) return header
    throw damageOf(path, header)
  }
  const expectField = <T>(offset: number, name: string, found: T, expected: T): void => {
    const remedy = `A file is missing, foreign or out of place. ${REMEDY_RESTORE}`
    if (found !== expected) throw damage(path, offset, `${name} ${found}`, `${expected}`, remedy)
  }
  expectField(HEADER.sequence, 'sequence number', header.sequence, sequence)
  const id = header.ledgerId.toString('hex')
  if (meter !== null && !meter.ledgerId.equals(header.ledgerId)) {
    const found = `the meter of another ledger, with ledger id ${meter.ledgerId.toString('hex')}`
    throw damage(meter.file, LEDGER_ID_OFFSET, found, `${id}, the id of ${path}`, REMEDY_METER)
  }
  walked.ledgerId ??= header.ledgerId
  expectField(HEADER.ledgerId, 'ledger id', id, walked.ledgerId.toString('hex'))
  if (walked.segments === 0 && header.sequence <= anchor.sequence) {
    walked.sequence = header.sequence - 1
    walked.crc = header.chainCrc
    walked.epoch = 0
    return null
  }
  expectField(HEADER.sequence, 'first sequence number', header.sequence, walked.sequence + 1)
  expectField(HEADER.chainCrc, 'chain', hex(header.chainCrc), hex(walked.crc))
  return null
}

function walkSegment(
  walked: Walked,
  anchor: Anchor,
  path: string,
  file: OpenFile,
  visit: Visit,
): Promise<Flaw | null> {
  let lastEpoch = 0
  let epochStart = 0
  return readFramesOf(file, walked, (payload, offset, batchPosition) => {
    const { sequence } = walked
    if (walked.epoch !== lastEpoch) [lastEpoch, epochStart] = [walked.epoch, sequence]
    // Example: an epoch has the batches 5-7 and 8-9. The writer syncs 5-7, notes 7 in the meter, then writes
    // 8. So frame 8 proves that 7 was noted. Frames 5-7 prove nothing: the first batch of an epoch precedes
    // its meter.
    const before = sequence - 1 - batchPosition
    if (before >= epochStart) walked.notedSequence = before
    if (sequence < anchor.sequence) return
    if (sequence === anchor.sequence) {
      if (walked.crc === anchor.crc) return
      const expected = `${hex(anchor.crc)}, as in the snapshot`
      throw damage(path, offset, `frame CRC ${hex(walked.crc)}`, expected, REMEDY_HISTORIES)
    }
    try {
      visit(sequence, walked.epoch, decodePayload(payload))
    } catch (error) {
      if (error instanceof LedgerError) throw error
      const found = `an impossible entry: ${error instanceof Error ? error.message : String(error)}`
      throw damage(path, offset, found, `an entry ${sequence} that fits the entries before it`)
    }
  })
}

/** Stores the torn tail of the last segment. @throws LedgerError if it is damage, by the rule in FORMAT.md */
function acceptTail(walked: Walked, torn: TornTail, durableSequence: number): void {
  const { path, flaw, bytes } = torn
  const missing = walked.sequence + 1
  if (missing <= Math.max(durableSequence, provenDurable(bytes, missing))) throw damageOf(path, flaw)
  if (flaw.frameOffset > 0) walked.last = { path, bytes: flaw.frameOffset }
  walked.torn = torn
}

const REMEDY_HISTORIES =
  'Segments and snapshot are of different histories. Restore the whole folder from one backup.'
const REMEDY_SNAPSHOT = `Entries that the snapshot includes are missing. ${REMEDY_RESTORE}`
/** Remedy for a copied folder of a running service whose meter was copied after its segments. */
const REMEDY_METER_AHEAD =
  'Acknowledged entries are missing. Use the folder that has them. A copy of the folder of a running service is not ' +
  'a backup: make one with `postrie backup <folder>`. To start without the missing entries, move the file `meter` away.'

function expectReach(walked: Walked, sequence: number, file: string, why: string, remedy: string): void {
  if (walked.sequence >= sequence) return
  const found = `the end of the ledger after sequence ${walked.sequence}`
  throw damage(file, walked.last?.bytes ?? 0, found, `sequence ${sequence}, ${why}`, remedy)
}
