/** The audit log: appends entries in the background, and finds entries by account. */
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Accounts } from '../../billing/accounts/accounts.ts'
import { type Actor, presentActor, THE_SERVICE } from '../../billing/accounts/actor.ts'
import type { Deed } from '../../billing/accounts/deeds.ts'
import type { SharedAudit } from '../../billing/fleet/shared-audit.ts'
import { HOUR_MS } from '../../platform/time.ts'
import { type Content, LINE_BYTES_MAX, openAuditFiles, type Position } from './audit-files.ts'

export interface AuditPage {
  rows: AuditEntry[]
  matches: number
  page: number
  pages: number
}

/** An entry to record. Its actor and time are the present ones by default. */
type NewEntry = Pick<AuditEntry, 'what'> & Partial<AuditEntry>

/** Maximum number of entries that wait to be written. Further entries are counted as lost. */
export const AUDIT_WAITING_MAX = 10_000
export const AUDIT_ENTRIES_PER_PAGE = 50
/** Maximum number of entries by the people of one account in a UTC hour. Further entries are dropped. */
export const AUDIT_ENTRIES_PER_HOUR_MAX = 1000
/** Maximum number of accounts with a count for the hour. */
const AUDIT_ACCOUNTS_MAX = 100_000
/** Entries read in one turn of the event loop, some 3 µs each. */
const ENTRIES_PER_TURN = 500

interface Waiting {
  account: string | null
  line: Buffer
}

class Positions {
  #all: Position[] = []
  readonly #ofAccounts = new Map<string, Position[]>()

  of(account: string | null): readonly Position[] {
    return account === null ? this.#all : (this.#ofAccounts.get(account) ?? [])
  }

  add(account: string | null, position: Position): void {
    this.#all.push(position)
    if (account === null) return
    const positions = this.#ofAccounts.get(account)
    if (positions === undefined) this.#ofAccounts.set(account, [position])
    else positions.push(position)
  }

  addAll({ start, bytes }: Content): void {
    for (let at = 0; at < bytes.length; at = bytes.indexOf('\n', at) + 1)
      this.add(accountAt(bytes, at), start + at)
  }

  forgetBefore(first: Position): void {
    const isKept = (position: Position) => position >= first
    this.#all = this.#all.filter(isKept)
    for (const [account, positions] of this.#ofAccounts) {
      const kept = positions.filter(isKept)
      if (kept.length === 0) this.#ofAccounts.delete(account)
      else this.#ofAccounts.set(account, kept)
    }
  }
}

export type AuditLog = Awaited<ReturnType<typeof openAuditLog>>

/**
 * Opens the log in `dataDir/audit`, or creates it. Takes some 5 ms per file.
 * @param fileBytesMax maximum bytes of a file, for tests @param filesMax maximum number of files, for tests
 * @throws the system's error
 */
export async function openAuditLog(
  dataDir: string,
  log: { error(details: object, message: string): void },
  fileBytesMax?: number,
  filesMax?: number,
  nowMs: () => number = Date.now,
) {
  const positions = new Positions()
  const onFile = (content: Content) => positions.addAll(content)
  const files = await openAuditFiles(join(dataDir, 'audit'), onFile, fileBytesMax, filesMax)
  const waiting: Waiting[] = []
  let writing: Promise<void> | null = null
  let lost = 0
  let isFailing = false
  let sharedWith: SharedAudit | null = null
  const ofHour = new Map<string, number>()
  let countedHour = 0

  function record(entry: NewEntry): void {
    const whole = {
      timeMs: Date.now(),
      actor: presentActor(),
      account: null,
      key: null,
      details: {},
      ...entry,
    }
    if (!countInHour(whole)) return
    if (waiting.length >= AUDIT_WAITING_MAX) lost++
    else {
      const line = lineOf(whole)
      waiting.push(waitingLine(line))
      sharedWith?.add(line)
    }
    writing ??= write()
  }

  /**
   * Counts an entry. Returns false beyond the maximum of an hour: one account must not push out all other entries. An entry
   * `lost` replaces the first dropped one. The ledger has all changes.
   */
  function countInHour({ actor, account }: AuditEntry): boolean {
    if (actor.kind !== 'customer' || account === null) return true
    const hour = Math.floor(nowMs() / HOUR_MS)
    if (hour !== countedHour || ofHour.size >= AUDIT_ACCOUNTS_MAX) ofHour.clear()
    countedHour = hour
    const entries = (ofHour.get(account) ?? 0) + 1
    ofHour.set(account, entries)
    if (entries === AUDIT_ENTRIES_PER_HOUR_MAX + 1) {
      // By the service, so that this entry does not count.
      const details = { by: actor.name, beyond: AUDIT_ENTRIES_PER_HOUR_MAX, until: 'the end of the hour' }
      record({ what: 'lost', account, actor: THE_SERVICE, details })
    }
    return entries <= AUDIT_ENTRIES_PER_HOUR_MAX
  }

  async function untilWritten(): Promise<void> {
    while (writing !== null) await writing
  }

  /** Reads file by file, oldest first, and lets other work run in between. */
  async function* read(account: string | null, isWanted: IsWanted): AsyncGenerator<[Position, AuditEntry][]> {
    await writing
    const wanted = positions.of(account)
    let at = 0
    for await (const { start, bytes } of files.read(wanted)) {
      while (wanted[at] < start) at++
      while (wanted[at] < start + bytes.length) {
        const found: [Position, AuditEntry][] = []
        for (const end = at + ENTRIES_PER_TURN; at < end && wanted[at] < start + bytes.length; at++) {
          const from = wanted[at] - start
          const entry = entryOf(bytes.toString('utf8', from, bytes.indexOf('\n', from)))
          if (entry !== null && isWanted(entry)) found.push([wanted[at], entry])
        }
        yield found
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
      const batch = lostBefore > 0 ? [...entries, lostEntry(lostBefore)] : entries
      try {
        const { start, hasRemoved } = await files.append(Buffer.concat(batch.map(({ line }) => line)))
        // Further entries may have been lost meanwhile.
        lost -= lostBefore
        isFailing = false
        if (hasRemoved) positions.forgetBefore(files.firstPosition)
        let position = start
        for (const { account, line } of batch) {
          positions.add(account, position)
          position += line.length
        }
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
    /** Records every change of `accounts` until the returned function is called. */
    follow: (accounts: Accounts): (() => void) => accounts.onDeed(record),
    /**
     * Shares the log with the other nodes of a fleet until the returned function is called.
     * @param isReader true to append the lines of other nodes to this log
     */
    share(shared: SharedAudit, isReader: boolean): () => Promise<void> {
      sharedWith = shared
      if (isReader)
        shared.follow(async lines => {
          // Not bounded here: their number is far below AUDIT_WAITING_MAX.
          const taken = lines.filter(line => entryOf(line) !== null).map(waitingLine)
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
    /** Returns a page of entries of an account, or of all for null, newest first. @param page from 1 @param isWanted reads all entries */
    async page(account: string | null, page: number, isWanted?: IsWanted): Promise<AuditPage> {
      // A person who has just made a change expects it here.
      await writing
      const matching: Position[] = []
      if (isWanted !== undefined)
        for await (const some of read(account, isWanted)) matching.push(...some.map(([at]) => at))
      const found = isWanted === undefined ? positions.of(account) : matching
      const pages = Math.max(1, Math.ceil(found.length / AUDIT_ENTRIES_PER_PAGE))
      const shown = Math.min(page, pages)
      const end = found.length - (shown - 1) * AUDIT_ENTRIES_PER_PAGE
      const wanted = found.slice(Math.max(0, end - AUDIT_ENTRIES_PER_PAGE), end).reverse()
      const lines = await Promise.all(wanted.map(position => files.readLine(position)))
      const rows = lines.flatMap(line => entryOf(line) ?? [])
      return { rows, matches: found.length, page: shown, pages }
    },
    /** Yields all entries of an account, or of all for null, in groups, oldest first. */
    async *export(account: string | null, isWanted: IsWanted = () => true): AsyncGenerator<AuditEntry[]> {
      for await (const some of read(account, isWanted)) yield some.map(([, entry]) => entry)
    },
  }
}

function waitingLine(text: string): Waiting {
  const line = Buffer.from(text)
  return { account: accountAt(line, 0), line }
}

function lostEntry(entries: number): Waiting {
  const nobody = { actor: THE_SERVICE, account: null, key: null }
  return {
    account: null,
    line: Buffer.from(lineOf({ timeMs: Date.now(), what: 'lost', ...nobody, details: { entries } })),
  }
}

type IsWanted = (entry: AuditEntry) => boolean

export interface AuditEntry {
  timeMs: number
  actor: Actor
  what: Deed['what'] | 'sign-in' | 'sign-out' | 'index' | 'start' | 'lost' | 'recharge' | 'alerts' | 'codes'
  account: string | null
  key: string | null
  details: Readonly<Record<string, unknown>>
}

const ACCOUNT_FIELD = '{"account":"'

export function lineOf({ timeMs, actor, what, account, key, details }: AuditEntry): string {
  const { kind, name: who, from } = actor
  const fields = { account, time: new Date(timeMs).toISOString(), kind, who, from, what, key }
  const line = JSON.stringify({ ...fields, details })
  if (Buffer.byteLength(line) < LINE_BYTES_MAX) return `${line}\n`
  return `${JSON.stringify({ ...fields, details: { left_out: true } })}\n`
}

export function entryOf(line: string): AuditEntry | null {
  try {
    const { account, time, kind, who, from, what, key, details } = JSON.parse(line)
    const timeMs = Date.parse(time)
    if (Number.isNaN(timeMs) || typeof what !== 'string' || typeof details !== 'object') return null
    return {
      timeMs,
      actor: { kind, name: String(who), from: String(from) },
      what,
      account,
      key,
      details,
    } as AuditEntry
  } catch {
    return null
  }
}

/** Returns the account of the line at `start`; null if it has none. Does not parse the line, for speed. */
export function accountAt(bytes: Buffer, start: number): string | null {
  const idStart = start + ACCOUNT_FIELD.length
  if (bytes.toString('latin1', start, idStart) !== ACCOUNT_FIELD) return null
  const end = bytes.indexOf('"', idStart)
  return end === -1 ? null : bytes.toString('latin1', idStart, end)
}
