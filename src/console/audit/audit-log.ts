/** The audit log: appends entries in the background, and finds them by reading its files. See FORMAT.md. */
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type Actor, presentActor, THE_SERVICE } from '../../billing/accounts/actor.ts'
import type { Change } from '../../billing/accounts/audited-changes.ts'
import type { SharedAudit } from '../../billing/fleet/shared-audit.ts'
import { HOUR_MS } from '../../platform/time.ts'
import { openStoreFile } from '../store/store-file.ts'

/** An entry to record. Its actor and time are the present ones by default. */
type NewEntry = Pick<AuditEntry, 'what'> & Partial<AuditEntry>

const NOBODY = { account: null, key: null, details: {} }

export const LINE_BYTES_MAX = 8 * 1024
const FILE_BYTES_MAX = 4 * 1024 * 1024
const FILES_MAX = 16
/** Maximum number of entries that wait to be written. Further entries are counted as lost. */
export const AUDIT_WAITING_MAX = 10_000
export const AUDIT_ENTRIES_PER_PAGE = 50
/** Maximum number of entries by the people of one account in a UTC hour. Further entries are dropped. */
export const AUDIT_ENTRIES_PER_HOUR_MAX = 1000
/** Maximum number of accounts with a count for the hour. */
const AUDIT_ACCOUNTS_MAX = 100_000
/** Entries read in one turn of the event loop, some 3 µs each. */
const ENTRIES_PER_TURN = 500

/** Returns an actor as a reader may see it: owners do not see the names of operators. */
export function shownActor(actor: Actor, isOperator: boolean): Actor {
  return actor.kind === 'operator' && !isOperator
    ? { kind: 'operator', name: 'the operator', from: '' }
    : actor
}

export type AuditLog = Awaited<ReturnType<typeof openAuditLog>>

/**
 * Opens the log in `dataDir/audit`, or creates it. Takes some 5 ms per file.
 * @param fileBytesMax maximum bytes of a file, for tests @param filesMax maximum number of files, for tests
 * @throws Error if a file is not private or damaged
 */
export async function openAuditLog(
  dataDir: string,
  log: { error(details: object, message: string): void },
  fileBytesMax?: number,
  filesMax?: number,
  nowMs: () => number = Date.now,
) {
  const files = await openFiles(join(dataDir, 'audit'), fileBytesMax, filesMax)
  const waiting: string[] = []
  let writing: Promise<void> | null = null
  let lost = 0
  let isFailing = false
  let sharedWith: SharedAudit | null = null
  const ofHour = new Map<string, number>()
  let countedHour = 0

  /** Drops entries beyond the maximum of an hour: an account must not push out others. The ledger has all. */
  function record(entry: NewEntry): void {
    const whole = { timeMs: nowMs(), actor: presentActor(), ...NOBODY, ...entry }
    const entries = countInHour(whole)
    if (entries <= AUDIT_ENTRIES_PER_HOUR_MAX) append(whole)
    if (entries === AUDIT_ENTRIES_PER_HOUR_MAX + 1) {
      const details = {
        by: whole.actor.name,
        beyond: AUDIT_ENTRIES_PER_HOUR_MAX,
        until: 'the end of the hour',
      }
      append({ ...lostEntry(details), account: whole.account })
    }
  }

  /** Returns the number of entries by the people of an account in this hour; 0 for others. */
  function countInHour({ actor, account }: AuditEntry): number {
    if (actor.kind !== 'customer' || account === null) return 0
    const hour = Math.floor(nowMs() / HOUR_MS)
    if (hour !== countedHour || ofHour.size >= AUDIT_ACCOUNTS_MAX) ofHour.clear()
    countedHour = hour
    const entries = (ofHour.get(account) ?? 0) + 1
    ofHour.set(account, entries)
    return entries
  }

  function lostEntry(details: AuditEntry['details']): AuditEntry {
    return { timeMs: nowMs(), what: 'lost', actor: THE_SERVICE, ...NOBODY, details }
  }

  function append(entry: AuditEntry): void {
    if (waiting.length >= AUDIT_WAITING_MAX) lost++
    else {
      const line = lineOf(entry)
      waiting.push(line)
      sharedWith?.add(line)
    }
    writing ??= write()
  }

  async function untilWritten(): Promise<void> {
    while (writing !== null) await writing
  }

  /** Yields lines of wanted entries, and lets other work run in between. @param isWanted undefined for all */
  async function* read(account: string | null, isNewestFirst: boolean, isWanted?: IsWanted) {
    // A person who has just made a change expects it here.
    await writing
    for await (const bytes of files.read(isNewestFirst)) {
      const lines = linesOf(bytes, account)
      if (isNewestFirst) lines.reverse()
      for (let at = 0; at < lines.length; at += ENTRIES_PER_TURN) {
        const some = lines.slice(at, at + ENTRIES_PER_TURN)
        yield isWanted === undefined ? some : some.filter(line => entriesOf(line).some(isWanted))
        await setImmediate()
      }
    }
  }

  async function write(): Promise<void> {
    // All entries of this turn of the event loop share one sync.
    await null
    while (waiting.length > 0) {
      const lostBefore = lost
      const entries = waiting.splice(0)
      const report = lostBefore > 0 ? lineOf(lostEntry({ entries: lostBefore })) : ''
      try {
        await files.append(Buffer.from(entries.join('') + report))
        // Further entries may have been lost meanwhile.
        lost -= lostBefore
        isFailing = false
      } catch (err) {
        if (!isFailing) log.error({ err }, 'the audit log cannot be written')
        isFailing = true
        lost += entries.length
      }
    }
    writing = null
  }

  return {
    record,
    untilWritten,
    /** Shares the log with a fleet, until the returned call. @param isReader true to append its lines */
    share(shared: SharedAudit, isReader: boolean): () => Promise<void> {
      sharedWith = shared
      if (isReader)
        shared.collect(async lines => {
          // Not bounded here: their number is far below AUDIT_WAITING_MAX.
          const taken = lines.filter(line => entriesOf(line).length > 0)
          waiting.push(...taken)
          writing ??= write()
          await untilWritten()
          // They come again, so they are not lost.
          if (isFailing) lost -= taken.length
          return !isFailing
        })
      return () => {
        sharedWith = null
        return shared.close()
      }
    },
    /** Returns a page of entries of an account, or of all for null, newest first. @param page from 1 */
    async page(account: string | null, page: number, isWanted?: IsWanted) {
      let matches = 0
      let lines: string[] = []
      for await (const some of read(account, true, isWanted))
        for (const line of some) {
          // Beyond the last page, this keeps the last one.
          if (matches < page * AUDIT_ENTRIES_PER_PAGE) {
            if (matches % AUDIT_ENTRIES_PER_PAGE === 0) lines = []
            lines.push(line)
          }
          matches++
        }
      const pages = Math.max(1, Math.ceil(matches / AUDIT_ENTRIES_PER_PAGE))
      return { rows: lines.flatMap(entriesOf), matches, page: Math.min(page, pages), pages }
    },
    /** True if the log has an entry of this kind. Searches without parsing, for speed. */
    async has(what: AuditEntry['what']): Promise<boolean> {
      for await (const bytes of files.read(true)) if (bytes.includes(`"what":"${what}",`)) return true
      return false
    },
    /** Yields all entries of an account, or of all for null, in groups, oldest first. */
    async *export(account: string | null, isWanted?: IsWanted): AsyncGenerator<AuditEntry[]> {
      for await (const some of read(account, false, isWanted)) yield some.flatMap(entriesOf)
    },
  }
}

/** @throws Error if a file is not private or damaged, or `folder` is a file */
async function openFiles(folder: string, fileBytesMax = FILE_BYTES_MAX, filesMax = FILES_MAX) {
  const path = (number: number) => join(folder, `${String(number).padStart(8, '0')}.jsonl`)
  const open = async (number: number) => {
    const { file } = await openStoreFile(path(number), 'the entries of this file are then lost')
    return { number, file }
  }
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(error => {
    if (error.code !== 'EEXIST') throw error
    throw new Error(`${folder}: found a file; expected a folder. Move it away and restart: a new log begins.`)
  })
  const numbers = (await readdir(folder)).flatMap(name => /^(\d{8})\.jsonl$/.exec(name)?.[1] ?? [])
  const files: Awaited<ReturnType<typeof open>>[] = []
  for (const number of numbers.length === 0 ? [1] : numbers.sort().map(Number)) files.push(await open(number))
  return {
    /** Appends and syncs whole lines. @throws the system's error; readers then see none of them */
    async append(text: Buffer): Promise<void> {
      const { number, file } = files[files.length - 1]
      if (file.bytes < fileBytesMax) return file.append(text)
      files.push(await open(number + 1))
      for (const oldest of files.splice(0, files.length - filesMax))
        await rm(path(oldest.number), { force: true })
      await files[files.length - 1].file.append(text)
    },
    async *read(isNewestFirst: boolean): AsyncGenerator<Buffer> {
      for (const { file } of isNewestFirst ? files.toReversed() : [...files]) yield file.read()
    },
  }
}

type IsWanted = (entry: AuditEntry) => boolean

type OfPeople = 'sign-in' | 'sign-out' | 'viewed' | 'recharge' | 'buyer' | 'alerts' | 'codes'
type OfService = 'index' | 'start' | 'lost' | 'unapplied'

export interface AuditEntry {
  timeMs: number
  actor: Actor
  what: Change['what'] | OfPeople | OfService
  account: string | null
  key: string | null
  details: Readonly<Record<string, unknown>>
}

function lineOf({ timeMs, actor, what, account, key, details }: AuditEntry): string {
  const { kind, name: who, from } = actor
  const fields = { account, time: new Date(timeMs).toISOString(), kind, who, from, what, key }
  const line = JSON.stringify({ ...fields, details })
  if (Buffer.byteLength(line) < LINE_BYTES_MAX) return `${line}\n`
  return `${JSON.stringify({ ...fields, details: { left_out: true } })}\n`
}

function entriesOf(line: string): AuditEntry[] {
  try {
    const { account, time, kind, who, from, what, key, details } = JSON.parse(line)
    const timeMs = Date.parse(time)
    if (Number.isNaN(timeMs) || typeof what !== 'string' || typeof details !== 'object') return []
    const actor = { kind, name: String(who), from: String(from) }
    return [{ timeMs, actor, what, account, key, details } as AuditEntry]
  } catch {
    return []
  }
}

/** Returns the lines of an account, or all for null. Searches for their first field, without parsing. */
function linesOf(bytes: Buffer, account: string | null): string[] {
  const first = account === null ? '{' : `{"account":${JSON.stringify(account)},`
  const lines: string[] = []
  for (let at = bytes.indexOf(first); at !== -1; ) {
    const end = bytes.indexOf('\n', at)
    if (at === 0 || bytes[at - 1] === 0x0a) lines.push(bytes.toString('utf8', at, end))
    at = bytes.indexOf(first, end)
  }
  return lines
}
