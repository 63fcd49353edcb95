/** The keys of a book by their id and by the hash of their secret. */
import { type AccountRecord, HASH, ID, type KeyRecord } from './record.ts'
import { SlotTable } from './slot-table.ts'

export class KeyIndex {
  size = 0
  readonly #slots: readonly (AccountRecord | KeyRecord)[]
  readonly #byId = this.#tableOf(ID)
  readonly #byHash = this.#tableOf(HASH)

  /** `slots` are those of the book, which holds every key before it is added here. */
  constructor(slots: readonly (AccountRecord | KeyRecord)[]) {
    this.#slots = slots
  }

  get(id: string): KeyRecord | undefined {
    return this.#find(this.#byId, id)
  }

  has(id: string): boolean {
    return this.get(id) !== undefined
  }

  /** `hash` is the SHA-256 of a secret, base64url. */
  byHash(hash: string): KeyRecord | undefined {
    return this.#find(this.#byHash, hash)
  }

  /** Whether another key has the id of `key`. */
  hasIdOf(key: KeyRecord): boolean {
    return this.#byId.find(key.texts, key.textStart(ID), key.textEnd(ID)) !== -1
  }

  add(key: KeyRecord): void {
    const { texts, slot } = key
    this.#byId.set(texts, key.textStart(ID), key.textEnd(ID), slot)
    this.#byHash.set(texts, key.textStart(HASH), key.textEnd(HASH), slot)
    this.size++
  }

  /** All keys in the order of their slots. */
  *values(): Generator<KeyRecord> {
    for (const record of this.#slots) if (record.type === 'key') yield record
  }

  /** Their ids. */
  *keys(): Generator<string> {
    for (const key of this.values()) yield key.id
  }

  #tableOf(text: number): SlotTable {
    return new SlotTable((slot, bytes, start, end) => {
      const record = this.#slots[slot]
      return record.type === 'key' && record.isText(text, bytes, start, end)
    })
  }

  #find(table: SlotTable, text: string): KeyRecord | undefined {
    const bytes = Buffer.from(text)
    const record = this.#slots[table.find(bytes, 0, bytes.length)]
    return record?.type === 'key' ? record : undefined
  }
}
