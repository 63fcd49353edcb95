import type { Book } from '../book/book.ts'
import type { FileSystem } from '../disk/file-system.ts'
import { ledgerFolder, listLedger } from '../disk/files.ts'
import { nodeFileSystem } from '../disk/node-file-system.ts'
import type { LedgerEvent, UsageRow } from '../event.ts'
import { segmentsAfter, walkLedger } from '../log/walk.ts'
import { earliestBook, expectSegments } from '../recover.ts'

export interface ShowFilter {
  account?: string
  key?: string
  fromMs?: number
  toMs?: number
}

export interface LedgerEntry {
  sequence: number
  epoch: number
  timeMs: number
  kind: LedgerEvent['kind']
  account: string | null
  key: string | null
  micros: number
  details: Record<string, unknown>
}

/** Yields all entries from the oldest that can be read, up to a torn tail. Usage is one entry for each key. */
export async function* showLedger(
  dir: string,
  filter: ShowFilter = {},
  fs: FileSystem = nodeFileSystem,
): AsyncGenerator<LedgerEntry> {
  const { account, key, fromMs = 0, toMs = Number.POSITIVE_INFINITY } = filter
  const files = await listLedger(fs, ledgerFolder(dir))
  expectSegments(files)
  const start = await earliestBook(fs, files)
  const { book } = start
  let { anchor } = start
  for (const segment of segmentsAfter(files.segments, anchor)) {
    const entries: LedgerEntry[] = []
    anchor = await walkLedger(fs, [segment], anchor, null, (sequence, epoch, [timeMs, ...events]) => {
      for (const event of events) {
        // Usage is the difference to the earlier counts. Other events may need the account that they create.
        if (event.kind !== 'usage') book.apply(event, timeMs, sequence)
        for (const part of describe(event, book)) entries.push({ sequence, epoch, timeMs, ...part })
        if (event.kind === 'usage') book.apply(event, timeMs, sequence)
      }
    })
    for (const entry of entries) {
      if (entry.timeMs < fromMs || entry.timeMs >= toMs) continue
      if (account !== undefined && entry.account !== account) continue
      if (key !== undefined && entry.key !== key) continue
      yield entry
    }
  }
}

type EntryBody = Omit<LedgerEntry, 'sequence' | 'epoch' | 'timeMs'>

function describe(event: LedgerEvent, book: Book): EntryBody[] {
  if (event.kind === 'usage') return describeUsage(event.rows, book)
  const { kind, ...details } = event
  const { account, key } = book.subjectsOf(event)
  const ids = { account: account?.id ?? null, key: key?.id ?? null }
  const part: EntryBody = { kind, ...ids, micros: 0, details: { ...details } }
  // Only the ledger knows slots.
  if (event.kind === 'member') part.details.person = book.account(event.person).id
  if (event.kind === 'credit') part.micros = event.micros - event.debtPaidMicros
  if (event.kind === 'adjust' || event.kind === 'closed') part.micros = -event.takenMicros
  return [part]
}

function describeUsage(rows: readonly UsageRow[], book: Book): EntryBody[] {
  return rows.map(({ key, queries, spentMicros }) => {
    const record = book.key(key)
    const micros = record.spentMicros - spentMicros
    const details = { queries, spentMicros }
    return { kind: 'usage', account: record.account.id, key: record.id, micros, details }
  })
}
