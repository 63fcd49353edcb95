import type { EntryKind, KeyRules, RateLimits } from '../event.ts'
import { textAt, textEnd, textHeaderBytes } from '../message-pack.ts'
import {
  ACCOUNT_CREDITED_MICROS,
  ACCOUNT_DEBT_MICROS,
  ACCOUNT_PLUS_1,
  ACCOUNT_SPENT_MICROS,
  type Cells,
  rowOf,
  TEXTS_START,
} from './cells.ts'
import { hashIdentity } from './key-identity.ts'
import { KeyUsage } from './key-usage.ts'
import type { Team } from './team.ts'
import type { Texts } from './texts.ts'

/** One credit or adjustment, or what closing an account took, as the statement shows it. */
export interface Entry {
  sequence: number
  timeMs: number
  kind: EntryKind
  /** Signed effect on the balance. */
  balanceMicros: number
  /** Signed effect on the debt. */
  debtMicros: number
  reference: string
  note: string
}

/** A sign-in that leads to an account. */
export interface Identity {
  issuer: string
  subject: string
}

/** Why the keys of an account are refused, whatever their own state. */
export interface Standing {
  state: 'suspended' | 'closed'
  sinceMs: number
  reason: string
  /** Who decided it. */
  by: string
}

/** What an account begins with, or what a snapshot has kept of one. */
export interface NewAccountRecord {
  slot: number
  id: string
  email: string
  createdMs: number
  identities: Identity[]
  entries: Entry[]
}

/** What the ledger knows of an account. */
export class AccountRecord {
  readonly type = 'account'
  readonly slot: number
  readonly id: string
  readonly email: string
  readonly createdMs: number
  limits: RateLimits | null = null
  lowBalanceMicros: number | null = null
  /** Null while its keys are answered. */
  standing: Standing | null = null
  /** Null as long as nobody but its own person has ever belonged to it or been invited. */
  team: Team | null = null
  /** In the order of their creation, revoked ones included. */
  readonly keys: KeyRecord[] = []
  /** Keys that are not revoked. */
  activeKeys = 0
  readonly identities: Identity[]
  readonly entries: Entry[]
  readonly #cells: Float64Array
  readonly #row: number

  /** Clears the row of `slot`. */
  constructor(cells: Cells, { slot, id, email, createdMs, identities, entries }: NewAccountRecord) {
    this.slot = slot
    this.id = id
    this.email = email
    this.createdMs = createdMs
    this.identities = identities
    this.entries = entries
    this.#cells = cells.clear(slot)
    this.#row = rowOf(slot)
  }

  /** Sum of the balance effects of `entries`. */
  get creditedMicros(): number {
    return this.#cells[this.#row + ACCOUNT_CREDITED_MICROS]
  }

  set creditedMicros(micros: number) {
    this.#cells[this.#row + ACCOUNT_CREDITED_MICROS] = micros
  }

  /** Sum of the spend of `keys`. */
  get spentMicros(): number {
    return this.#cells[this.#row + ACCOUNT_SPENT_MICROS]
  }

  set spentMicros(micros: number) {
    this.#cells[this.#row + ACCOUNT_SPENT_MICROS] = micros
  }

  get debtMicros(): number {
    return this.#cells[this.#row + ACCOUNT_DEBT_MICROS]
  }

  set debtMicros(micros: number) {
    this.#cells[this.#row + ACCOUNT_DEBT_MICROS] = micros
  }
}

/** The secret that a key had before its present one. */
export interface RolledSecret {
  /** Its first characters, and its SHA-256 in base64url. */
  start: string
  hash: string
  /** From this moment on it is refused. */
  untilMs: number
  /** What marks the key's rows in the meter: the first 32 bits of the hash of its first secret, however often it was rolled. */
  identity: number
}

/** What the ledger knows of a key: its numbers, and its texts as they are packed in a snapshot. */
export class KeyRecord extends KeyUsage {
  readonly slot: number
  readonly account: AccountRecord
  /** Holds the packed texts, among those of other keys. */
  texts: Buffer
  /** Null for a key that may do everything. */
  rules: KeyRules | null = null
  /** Null for a key that still has its first secret. */
  rolled: RolledSecret | null = null

  /** Clears the row of `slot`. The texts are those that `texts` has kept last. */
  constructor(cells: Cells, texts: Texts, slot: number, account: AccountRecord, createdMs: number) {
    super(cells, slot, createdMs)
    this.slot = slot
    this.account = account
    this.texts = texts.bytes
    this.cells[this.row + TEXTS_START] = texts.start
    this.cells[this.row + ACCOUNT_PLUS_1] = account.slot + 1
  }

  get type(): 'key' {
    return 'key'
  }

  get id(): string {
    return textAt(this.texts, this.#offset(ID))
  }

  get label(): string {
    return textAt(this.texts, this.#offset(LABEL))
  }

  /** The first characters of the secret. */
  get start(): string {
    return textAt(this.texts, this.#offset(START))
  }

  /** SHA-256 of the secret, base64url. */
  get hash(): string {
    return textAt(this.texts, this.#offset(HASH))
  }

  rename(label: string, texts: Texts): void {
    texts.keep(this.id, label, this.start, this.hash)
    this.texts = texts.bytes
    this.cells[this.row + TEXTS_START] = texts.start
  }

  /** Replaces the secret. The present one works until `untilMs`. */
  roll(start: string, hash: string, untilMs: number, texts: Texts): void {
    this.rolled = { start: this.start, hash: this.hash, untilMs, identity: this.identity }
    texts.keep(this.id, this.label, start, hash)
    this.texts = texts.bytes
    this.cells[this.row + TEXTS_START] = texts.start
  }

  /** What marks the key's rows in the meter. */
  get identity(): number {
    return this.rolled?.identity ?? hashIdentity(this.hash)
  }

  /** All texts, packed. */
  packedTexts(): Buffer {
    return this.texts.subarray(this.#offset(0), this.#offset(TEXTS_COUNT))
  }

  /** Where in `texts` the UTF-8 of a text begins and ends. */
  textStart(text: number): number {
    const offset = this.#offset(text)
    return offset + textHeaderBytes(this.texts, offset)
  }

  textEnd(text: number): number {
    return this.#offset(text + 1)
  }

  /** Whether a text is `bytes[start, end)`. */
  isText(text: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.textStart(text)
    if (this.textEnd(text) - from !== end - start) return false
    for (let at = start; at < end; at++) if (bytes[at] !== this.texts[from + at - start]) return false
    return true
  }

  #offset(text: number): number {
    let offset = this.cells[this.row + TEXTS_START]
    for (let before = 0; before < text; before++) offset = textEnd(this.texts, offset)
    return offset
  }
}

/** The order of the packed texts. */
export const ID = 0
const LABEL = 1
export const START = 2
export const HASH = 3
export const TEXTS_COUNT = 4

/** Credits and adjustments less spend: what the customer owns. */
export function balanceMicros(account: AccountRecord): number {
  return account.creditedMicros - account.spentMicros
}
