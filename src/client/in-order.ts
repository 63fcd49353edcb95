/** Runs work on many items at the same time and yields the results in the order of the items. */

export type Items<T> = Iterable<T> | AsyncIterable<T>

export async function* groupsOf<T>(items: Items<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = []
  for await (const item of items) {
    if (group.push(item) < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** Yields the result of `work` for each item, in order. When one fails, or the caller stops early, the others in progress are aborted. */
export async function* inOrder<T, R>(
  items: AsyncIterable<T>,
  concurrency: number,
  work: (item: T, signal: AbortSignal) => Promise<R>,
  signal: AbortSignal | undefined,
): AsyncGenerator<R> {
  const stop = new AbortController()
  const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal])
  const source = items[Symbol.asyncIterator]()
  const running: Promise<R>[] = []
  try {
    for (;;) {
      while (running.length < concurrency) {
        const { done, value } = await source.next()
        if (done === true) break
        const result = work(value, either)
        // It is awaited in its turn; until then a failure must not count as unhandled.
        result.catch(() => {})
        running.push(result)
      }
      const first = running.shift()
      if (first === undefined) return
      yield await first
    }
  } finally {
    stop.abort()
    await source.return?.()
  }
}
