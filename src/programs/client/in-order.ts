/** Runs work on several items at a time and yields the results in the order of the items. */

export type Items<T> = Iterable<T> | AsyncIterable<T>

/** Yields the items in groups of `size`; the last group may be smaller. */
export async function* groupsOf<T>(items: Items<T>, size: number): AsyncGenerator<T[]> {
  let group: T[] = []
  for await (const item of items) {
    if (group.push(item) < size) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** Yields results in the order of the items. A failure, or a caller that stops, aborts work in flight. */
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
  let isDone = false
  let failure: { error: unknown } | undefined
  try {
    for (;;) {
      while (!isDone && running.length < concurrency) {
        const next = await source.next().catch((error: unknown) => {
          failure = { error }
        })
        if (next === undefined || next.done === true) {
          isDone = true
          break
        }
        const result = work(next.value, either)
        // Awaited later. Until then a failure must not count as unhandled.
        result.catch(() => {})
        running.push(result)
      }
      const first = running.shift()
      if (first === undefined) break
      yield await first
    }
    if (failure !== undefined) throw failure.error
  } finally {
    stop.abort()
    await source.return?.()
  }
}
