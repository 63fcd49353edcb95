/** What is in memory of a map that survives the process, wherever it is kept. */
export abstract class KeyedValues<T> {
  protected readonly values = new Map<string, T>()
  /** Entries that could not be read. */
  damaged = 0

  get size(): number {
    return this.values.size
  }

  get(key: string): T | undefined {
    return this.values.get(key)
  }

  keys(): IterableIterator<string> {
    return this.values.keys()
  }

  entries(): IterableIterator<[string, T]> {
    return this.values.entries()
  }
}
