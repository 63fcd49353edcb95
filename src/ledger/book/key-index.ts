/** The keys of a book by their id. Requests find a key by the hash of its secret in the live state. */
import { type AccountRecord, ID, type KeyRecord } from './record.ts'
import { SlotTable } from './slot-table.ts'

export class KeyIndex {
  size = 0
  readonly #slots: readonly (AccountRecord | KeyRecord)[]
  readonly #byId = new SlotTable((slot, bytes, start, end) => {
    const record = this.#slots[slot]
    return record.type === 'key' && record.isText(ID, bytes, start, end)
  })

  /** `slots` are those of the book, which holds every key before it is added here. */
  constructor(slots: readonly (AccountRecord | KeyRecord)[]) {
    this.#slots = slots
  }

  get(id: string): KeyRecord | undefined {
    const bytes = Buffer.from(id)
    const record = this.#slots[this.#byId.find(bytes, 0, bytes.length)]
    return record?.type === 'key' ? record : undefined
  }

  has(id: string): boolean {
    return this.get(id) !== undefined
  }

  /** Whether another key has the id of `key`. */
  hasIdOf(key: KeyRecord): boolean {
    return this.#byId.find(key.texts, key.textStart(ID), key.textEnd(ID)) !== -1
  }

  add(key: KeyRecord): void {
    const { texts, slot } = key
    this.#byId.set(texts, key.textStart(ID), key.textEnd(ID), slot)
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
}
