/** Listeners of one kind of news. */
export class Listeners<T> {
  readonly #listeners = new Set<(news: T) => void>()

  /** Adds a listener. Returns a function that removes it. */
  add(listener: (news: T) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  notify(news: T): void {
    for (const listener of this.#listeners) listener(news)
  }
}
