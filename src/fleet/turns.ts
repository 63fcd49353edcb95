/** Work that is done one piece after the other, in the order in which it was handed in. A piece that fails stops none of the others. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  /** Runs `work` after all that came before it. Settles as it does. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }
}
