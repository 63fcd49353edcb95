/** A map that survives the process, and the node: each change is written to the database of the fleet. */
import type { KeyedStore, SharedRows } from '../shell/keyed-store.ts'
import { KeyedValues } from './keyed-values.ts'

/** Between two attempts to write what the database has not taken. */
const RETRY_MS = 1000

export class KeyedRows<T> extends KeyedValues<T> implements KeyedStore<T> {
  readonly #rows: SharedRows
  readonly #name: string
  /** Keys whose rows are older than their values. */
  readonly #changed = new Set<string>()
  #writing: Promise<void> = Promise.resolve()
  /** Whether a write waits for the one in progress to end. */
  #isWaiting = false
  #retry: NodeJS.Timeout | undefined
  #isClosed = false

  private constructor(rows: SharedRows, name: string) {
    super()
    this.#rows = rows
    this.#name = name
  }

  /**
   * Reads the rows of a name.
   * @param parse turns the JSON of a value into a value; null when it is not one
   * @throws what the reading failed with
   */
  static async open<T>(
    rows: SharedRows,
    name: string,
    parse: (value: unknown) => T | null,
  ): Promise<KeyedRows<T>> {
    const keyed = new KeyedRows<T>(rows, name)
    for (const [key, json] of await rows.read(name)) {
      const value = parse(jsonOf(json))
      if (value === null) keyed.damaged++
      else keyed.values.set(key, value)
    }
    return keyed
  }

  set(key: string, value: T): Promise<void> {
    this.values.set(key, value)
    return this.#write(key)
  }

  async delete(key: string): Promise<void> {
    if (this.values.delete(key)) await this.#write(key)
  }

  settled(): Promise<void> {
    return this.#writing.catch(() => {})
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    if (this.#changed.size > 0) this.#begin().catch(() => {})
    await this.settled()
  }

  #write(key: string): Promise<void> {
    this.#changed.add(key)
    return this.#begin()
  }

  /** Changes that are made until a write begins go with it. */
  #begin(): Promise<void> {
    if (this.#isWaiting) return this.#writing
    this.#isWaiting = true
    this.#writing = this.#writing.catch(() => {}).then(() => this.#flush())
    return this.#writing
  }

  async #flush(): Promise<void> {
    this.#isWaiting = false
    const keys = [...this.#changed]
    this.#changed.clear()
    const changes = keys.map(key => [key, JSON.stringify(this.values.get(key)) ?? null] as const)
    try {
      await this.#rows.write(this.#name, changes)
    } catch (error) {
      for (const key of keys) this.#changed.add(key)
      clearTimeout(this.#retry)
      if (!this.#isClosed) this.#retry = setTimeout(() => this.#begin().catch(() => {}), RETRY_MS).unref()
      throw error
    }
  }
}

/** Undefined for what somebody else has written there. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
