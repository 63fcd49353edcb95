import type { Change } from './views.ts'

/** Functions that are called after each durable change, such as those of an open dashboard. */
export class Listeners {
  readonly #listeners = new Set<(change: Change) => void>()

  get isEmpty(): boolean {
    return this.#listeners.size === 0
  }

  /** Returns a function that removes the listener. */
  add(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  notify(kind: Change['kind'], ...accounts: string[]): void {
    for (const listener of this.#listeners) listener({ kind, accounts })
  }
}
