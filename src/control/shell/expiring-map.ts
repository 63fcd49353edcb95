/** A bounded map whose entries end by themselves: for sign-ins under way and sessions, which strangers can create. */
export class ExpiringMap<T> {
  readonly #entries = new Map<string, { value: T; endMs: number }>()
  readonly #sizeMax: number
  readonly #nowMs: () => number

  constructor(sizeMax: number, nowMs: () => number = Date.now) {
    this.#sizeMax = sizeMax
    this.#nowMs = nowMs
  }

  get size(): number {
    return this.#entries.size
  }

  /** Keeps `value` for `ms`. When the map is full the entry that was set longest ago makes room. */
  set(key: string, value: T, ms: number): void {
    this.#entries.delete(key)
    if (this.#entries.size >= this.#sizeMax) {
      const [oldest] = this.#entries.keys()
      if (oldest !== undefined) this.#entries.delete(oldest)
    }
    this.#entries.set(key, { value, endMs: this.#nowMs() + ms })
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry.endMs > this.#nowMs()) return entry.value
    this.#entries.delete(key)
    return undefined
  }

  /** As `get`, and the entry is gone: what may be used once only. */
  take(key: string): T | undefined {
    const value = this.get(key)
    this.#entries.delete(key)
    return value
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  deleteWhere(matches: (value: T) => boolean): void {
    for (const [key, { value }] of this.#entries) if (matches(value)) this.#entries.delete(key)
  }
}
