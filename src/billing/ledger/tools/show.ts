import type { Book } from '../book/book.ts'
import { startsOf } from '../book/record.ts'
import { ledgerFolder, listLedger } from '../disk/files.ts'
import { nodeFileSystem as fs } from '../disk/node-file-system.ts'
import type { KeyUsage, LedgerEvent } from '../event.ts'
import { LedgerError, unusable } from '../ledger-error.ts'
import { segmentsAfter, walkLedger } from '../log/walk.ts'
import { earliestBook } from '../recover.ts'

interface EntryBody {
  kind: LedgerEvent['kind']
  account: string | null
  key: string | null
  micros: number
  details: Record<string, unknown>
}

export type LedgerEntry = { sequence: number; epoch: number; timeMs: number } & EntryBody

/**
 * Yields all entries from the oldest that can be read, up to a torn tail. Usage is one entry for each key.
 * @param filter with the id or the email of an account @throws LedgerError for an unknown account or key
 */
export async function* showLedger(
  dir: string,
  filter: { account?: string; key?: string; fromMs?: number; toMs?: number } = {},
): AsyncGenerator<LedgerEntry> {
  const { account, key, fromMs = 0, toMs = Number.POSITIVE_INFINITY } = filter
  const folder = ledgerFolder(dir)
  const files = await listLedger(fs, folder).catch(error => {
    throw unusable(folder, error)
  })
  const start = await earliestBook(fs, files)
  const { book } = start
  let { anchor } = start
  for (const segment of segmentsAfter(files.segments, anchor)) {
    const entries: LedgerEntry[] = []
    anchor = await walkLedger(fs, [segment], anchor, null, (sequence, epoch, [timeMs, ...events]) => {
      for (const event of events) {
        // Usage is the difference to the book before it. Other events may need the account that they create.
        const usage = event.kind === 'usage' ? event.rows.map(row => usagePart(row, book)) : null
        book.apply(event, timeMs, sequence)
        for (const part of usage ?? [partOf(event, book)]) entries.push({ sequence, epoch, timeMs, ...part })
      }
    })
    const id = accountId(book, account)
    for (const entry of entries) {
      if (entry.timeMs < fromMs || entry.timeMs >= toMs) continue
      if (account !== undefined && entry.account !== id) continue
      if (key !== undefined && !isOfKey(book, entry.key, key)) continue
      yield entry
    }
  }
  if (account !== undefined && !book.accounts.has(accountId(book, account)))
    throw new LedgerError('REFUSED', `no account has the id or email '${account}'`)
  if (key !== undefined && ![...book.keys.keys()].some(id => isOfKey(book, id, key)))
    throw new LedgerError('REFUSED', `no key has the id or the start '${key}'`)
}

/** @param wanted an id, or the start of a secret */
function isOfKey(book: Book, id: string | null, wanted: string): boolean {
  const key = book.keys.get(id ?? '')
  return key !== undefined && [key.id, ...startsOf(key)].includes(wanted)
}

const accountId = (book: Book, name = '') => book.byEmail.get(name.toLowerCase())?.id ?? name

function partOf(event: LedgerEvent, book: Book): EntryBody {
  const { kind, ...details } = event
  const { account, key } = book.subjectsOf(event)
  // Only the ledger knows slots.
  const person = event.kind === 'member' && { person: book.account(event.person).id }
  const ids = { account: account?.id ?? null, key: key?.id ?? null }
  const isDebit = event.kind === 'adjust' || event.kind === 'closed'
  const debitMicros = isDebit ? -event.takenMicros : 0
  const micros = event.kind === 'credit' ? event.micros - event.debtPaidMicros : debitMicros
  return { kind, ...ids, micros, details: { ...details, ...person } }
}

/** Returns the charges since the entry before, by usage class. The ledger has sums since the start. */
function usagePart({ key, queries: sums, spentMicros }: KeyUsage, book: Book): EntryBody {
  const { id, account, queries: before, spentMicros: spentBefore } = book.key(key)
  const queries = sums.map((sum, usage) => sum - before[usage])
  const micros = spentBefore - spentMicros
  return { kind: 'usage', account: account.id, key: id, micros, details: { queries } }
}
