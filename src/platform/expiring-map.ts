/** A bounded map whose entries expire. Only signed-in people may cause entries, which push out the oldest. */
export class ExpiringMap<T> {
  readonly #entries = new Map<string, { value: T; endMs: number }>()
  readonly #sizeMax: number
  readonly #nowMs: () => number

  constructor(sizeMax: number, nowMs: () => number = Date.now) {
    this.#sizeMax = sizeMax
    this.#nowMs = nowMs
  }

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

  values(): T[] {
    return [...this.#entries.values()].filter(({ endMs }) => endMs > this.#nowMs()).map(({ value }) => value)
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }
}
