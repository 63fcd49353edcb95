import type { Change } from './views.ts'

/** Who wants to hear of durable changes, such as an open dashboard. */
export class Listeners {
  readonly #listeners = new Set<(change: Change) => void>()

  get isEmpty(): boolean {
    return this.#listeners.size === 0
  }

  /** Returns a function that ends it. */
  add(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  notify(kind: Change['kind'], ...accounts: string[]): void {
    for (const listener of this.#listeners) listener({ kind, accounts })
  }
}
