/** Brings the lines of keys in the live state up to what the ledger says of them, on the ledger thread. */
import { keyIdentity } from '../ledger/book/key-identity.ts'
import { HASH, type KeyRecord, START } from '../ledger/book/record.ts'
import { KeyStarts } from './key-starts.ts'
import {
  ACCOUNT,
  KEY_IDENTITY,
  KEY_WINDOWS_ROW,
  RULES_BLOCK,
  RULES_VERSION,
  STATE,
} from './live/live-layout.ts'
import type { LiveState } from './live/live-state.ts'
import { lock, unlock } from './live/lock.ts'
import { networksOf } from './live/rule-blocks.ts'
import { KEY_PREFIX } from './secret.ts'

export class KeyLines {
  readonly #live: LiveState
  /** For those who search for a key by its beginning. */
  readonly starts = new KeyStarts()

  constructor(live: LiveState) {
    this.#live = live
  }

  /**
   * Opens a key that has become durable: from now on every thread finds it.
   * @param windowsRow its row in the meter for the windows of its own limits; 0: none
   */
  open(key: KeyRecord, windowsRow: number): void {
    const { keys } = this.#live
    const { slot, texts, rolled } = key
    const { words, word, cells, cell } = this.#live.lineOf(slot)
    const secret = rolled === null ? 0 : 1
    words[word + ACCOUNT] = key.account.slot + 1
    words[word + KEY_WINDOWS_ROW] = windowsRow
    if (key.rules === null && rolled === null) cells[cell + STATE] = refusedMs(key)
    else this.#writeRules(key, secret)
    const firstWord = keys.add(texts, key.textStart(HASH), key.textEnd(HASH), slot, secret)
    words[word + KEY_IDENTITY] = rolled?.identity ?? keyIdentity(firstWord)
    const start = key.textStart(START) + KEY_PREFIX.length
    this.starts.add(texts[start], texts[start + 1], slot, secret)
    if (rolled !== null) this.#addSecret(rolled.hash, rolled.start, slot, secret - 1)
  }

  /** Lets the next request with the key be answered or refused, as the book says now. */
  renewState(key: KeyRecord): void {
    const { words, word, cells, cell } = this.#live.lineOf(key.slot)
    cells[cell + STATE] = refusedMs(key) || 0 - words[word + RULES_VERSION]
  }

  /** Brings the key's rules to all threads. There must be room for them, and the memory must not be growing. */
  renewRules(key: KeyRecord): void {
    this.#writeRules(key, this.#presentSecret(key.slot))
  }

  /** Brings the key's present and earlier secret to all threads. As `renewRules`; the table of keys needs room for two. */
  renewSecrets(key: KeyRecord): void {
    const { keys } = this.#live
    const { slot, hash, rolled } = key
    if (rolled === null) return this.renewRules(key)
    let earlier = keys.find(rolled.hash)?.secret
    if (earlier === undefined) {
      // Two commands have rolled the key at the same time: what the first one made is the earlier secret already.
      earlier = this.#presentSecret(slot) + 1
      this.#addSecret(rolled.hash, rolled.start, slot, earlier)
    }
    this.#writeRules(key, earlier + 1)
    if (keys.find(hash) === undefined) this.#addSecret(hash, key.start, slot, earlier + 1)
  }

  /** The row of the meter with the windows of the key's own limits; 0: none yet. */
  windowsRow(key: KeyRecord): number {
    const { words, word } = this.#live.lineOf(key.slot)
    return words[word + KEY_WINDOWS_ROW]
  }

  setWindowsRow(key: KeyRecord, row: number): void {
    const { words, word } = this.#live.lineOf(key.slot)
    words[word + KEY_WINDOWS_ROW] = row
  }

  #addSecret(hash: string, start: string, slot: number, secret: number): void {
    const bytes = Buffer.from(hash)
    this.#live.keys.add(bytes, 0, bytes.length, slot, secret)
    const { length } = KEY_PREFIX
    this.starts.add(start.charCodeAt(length), start.charCodeAt(length + 1), slot, secret)
  }

  #presentSecret(slot: number): number {
    const { words, word } = this.#live.lineOf(slot)
    const block = words[word + RULES_BLOCK]
    return block === 0 ? 0 : this.#live.rules.read(block).secret
  }

  /** All of it under the lock, so that no thread ever copies a part of it. */
  #writeRules(key: KeyRecord, secret: number): void {
    const { rules, header } = this.#live
    const { words, word, cells, cell } = this.#live.lineOf(key.slot)
    const account = this.#live.lineOf(key.account.slot)
    const networks = networksOf(key)
    const refused = refusedMs(key)
    const before = words[word + RULES_BLOCK]
    const block = rules.take(key.rules?.addresses?.length ?? 0)
    lock(header, account.words, account.word, 0)
    rules.write(block, key, secret, networks)
    words[word + RULES_BLOCK] = block
    const version = words[word + RULES_VERSION] + 1
    words[word + RULES_VERSION] = version
    cells[cell + STATE] = refused || 0 - version
    unlock(account.words, account.word)
    if (before !== 0) rules.release(before)
  }
}

/** Since when requests with a key are refused, for its own sake or for that of its account; 0: they are answered. */
function refusedMs({ revokedMs, account: { standing } }: KeyRecord): number {
  if (revokedMs !== 0 || standing === null) return revokedMs
  // A clock at 1970 must not turn a suspension into none.
  return Math.max(1, standing.sinceMs)
}
