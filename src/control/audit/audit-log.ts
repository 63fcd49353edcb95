/** The audit log: appends entries in the background, and finds entries by account. */
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Accounts } from '../../accounts/accounts.ts'
import { type Actor, presentActor, THE_SERVICE } from '../../accounts/actor.ts'
import type { Deed } from '../../accounts/deeds.ts'
import type { SharedAudit } from '../../fleet/shared-audit.ts'
import { HOUR_MS } from '../../platform/time.ts'
import {
  type AuditFiles,
  type Content,
  LINE_BYTES_MAX,
  openAuditFiles,
  type Position,
} from './audit-files.ts'

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

/** Positions of all entries, and of the entries of each account. */
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

export class AuditLog {
  readonly #files: AuditFiles
  readonly #positions: Positions
  readonly #onFailure: (error: unknown) => void
  #waiting: Waiting[] = []
  #writing: Promise<void> | null = null
  #lost = 0
  #isFailing = false
  #shared: SharedAudit | null = null
  readonly #ofHour = new Map<string, number>()
  #hour = 0
  readonly #nowMs: () => number

  private constructor(
    files: AuditFiles,
    positions: Positions,
    onFailure: (error: unknown) => void,
    nowMs: () => number,
  ) {
    this.#files = files
    this.#positions = positions
    this.#onFailure = onFailure
    this.#nowMs = nowMs
  }

  /**
   * Opens the log in `dataDir/audit`, or creates it. Takes some 5 ms per file.
   * @param fileBytesMax maximum bytes of a file, for tests @param filesMax maximum number of files, for tests
   * @throws the system's error
   */
  static async open(
    dataDir: string,
    log: { error(details: object, message: string): void },
    fileBytesMax?: number,
    filesMax?: number,
    nowMs: () => number = Date.now,
  ): Promise<AuditLog> {
    const positions = new Positions()
    const onFile = (content: Content) => positions.addAll(content)
    const files = await openAuditFiles(join(dataDir, 'audit'), onFile, fileBytesMax, filesMax)
    return new AuditLog(files, positions, err => log.error({ err }, 'the audit log cannot be written'), nowMs)
  }

  /** Records every change of `accounts` until the returned function is called. */
  follow(accounts: Accounts): () => void {
    return accounts.onDeed(deed => this.record(deed))
  }

  record(entry: NewEntry): void {
    const whole = {
      timeMs: Date.now(),
      actor: presentActor(),
      account: null,
      key: null,
      details: {},
      ...entry,
    }
    if (!this.#countInHour(whole)) return
    if (this.#waiting.length >= AUDIT_WAITING_MAX) this.#lost++
    else this.#push(lineOf(whole))
    this.#writing ??= this.#write()
  }

  /**
   * Shares the log with the other nodes of a fleet until the returned function is called.
   * @param isReader true to append the lines of other nodes to this log
   */
  share(shared: SharedAudit, isReader: boolean): () => Promise<void> {
    this.#shared = shared
    if (isReader)
      shared.follow(async lines => {
        // Not bounded here: their number is far below AUDIT_WAITING_MAX.
        for (const line of lines) if (entryOf(line) !== null) this.#waiting.push(waitingLine(line))
        this.#writing ??= this.#write()
        await this.untilWritten()
      })
    return () => {
      this.#shared = null
      return shared.close()
    }
  }

  #push(line: string): void {
    this.#waiting.push(waitingLine(line))
    this.#shared?.add(line)
  }

  /**
   * Counts an entry. Returns false beyond the maximum of an hour: one account must not push out all other entries. An entry
   * `lost` replaces the first dropped one. The ledger has all changes.
   */
  #countInHour({ actor, account }: AuditEntry): boolean {
    if (actor.kind !== 'customer' || account === null) return true
    const hour = Math.floor(this.#nowMs() / HOUR_MS)
    if (hour !== this.#hour || this.#ofHour.size >= AUDIT_ACCOUNTS_MAX) this.#ofHour.clear()
    this.#hour = hour
    const entries = (this.#ofHour.get(account) ?? 0) + 1
    this.#ofHour.set(account, entries)
    if (entries === AUDIT_ENTRIES_PER_HOUR_MAX + 1) {
      // By the service, so that this entry does not count.
      const details = { by: actor.name, beyond: AUDIT_ENTRIES_PER_HOUR_MAX, until: 'the end of the hour' }
      this.record({ what: 'lost', account, actor: THE_SERVICE, details })
    }
    return entries <= AUDIT_ENTRIES_PER_HOUR_MAX
  }

  async untilWritten(): Promise<void> {
    while (this.#writing !== null) await this.#writing
  }

  /** Returns a page of entries of an account, or of all for null, newest first. @param page from 1 @param isWanted reads all entries */
  async page(account: string | null, page: number, isWanted?: IsWanted): Promise<AuditPage> {
    // A person who has just made a change expects it here.
    await this.#writing
    let positions = this.#positions.of(account)
    if (isWanted !== undefined) {
      const found: Position[] = []
      for await (const some of this.#read(account, isWanted))
        found.push(...some.map(([position]) => position))
      positions = found
    }
    const pages = Math.max(1, Math.ceil(positions.length / AUDIT_ENTRIES_PER_PAGE))
    const shown = Math.min(page, pages)
    const end = positions.length - (shown - 1) * AUDIT_ENTRIES_PER_PAGE
    const wanted = positions.slice(Math.max(0, end - AUDIT_ENTRIES_PER_PAGE), end).reverse()
    const lines = await Promise.all(wanted.map(position => this.#files.readLine(position)))
    const rows = lines.flatMap(line => entryOf(line) ?? [])
    return { rows, matches: positions.length, page: shown, pages }
  }

  /** Yields all entries of an account, or of all for null, in groups, oldest first. */
  async *export(account: string | null, isWanted: IsWanted = () => true): AsyncGenerator<AuditEntry[]> {
    for await (const some of this.#read(account, isWanted)) yield some.map(([, entry]) => entry)
  }

  /** Reads file by file, oldest first, and lets other work run in between. */
  async *#read(account: string | null, isWanted: IsWanted): AsyncGenerator<[Position, AuditEntry][]> {
    await this.#writing
    const positions = this.#positions.of(account)
    let at = 0
    for await (const { start, bytes } of this.#files.read(positions)) {
      while (positions[at] < start) at++
      while (positions[at] < start + bytes.length) {
        const found: [Position, AuditEntry][] = []
        for (const end = at + ENTRIES_PER_TURN; at < end && positions[at] < start + bytes.length; at++) {
          const from = positions[at] - start
          const entry = entryOf(bytes.toString('utf8', from, bytes.indexOf('\n', from)))
          if (entry !== null && isWanted(entry)) found.push([positions[at], entry])
        }
        yield found
        await setImmediate()
      }
    }
  }

  async #write(): Promise<void> {
    // All entries of this turn of the event loop share one sync.
    await null
    while (this.#waiting.length > 0) {
      const lost = this.#lost
      const waiting = this.#waiting.splice(0)
      const batch = lost > 0 ? [...waiting, lostEntry(lost)] : waiting
      try {
        const { start, hasRemoved } = await this.#files.append(Buffer.concat(batch.map(({ line }) => line)))
        // Further entries may have been lost meanwhile.
        this.#lost -= lost
        this.#isFailing = false
        if (hasRemoved) this.#positions.forgetBefore(this.#files.firstPosition)
        let position = start
        for (const { account, line } of batch) {
          this.#positions.add(account, position)
          position += line.length
        }
      } catch (error) {
        if (!this.#isFailing) this.#onFailure(error)
        this.#isFailing = true
        this.#lost += waiting.length
      }
    }
    this.#writing = null
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
