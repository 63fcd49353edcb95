/** Appends `item` to the list at `key`. */
export function addTo<K, T>(lists: Map<K, T[]>, key: K, item: T): void {
  const known = lists.get(key)
  if (known === undefined) lists.set(key, [item])
  else known.push(item)
}

/** Returns the value at `key`. Makes it the first time. */
export function getOrMake<K, V>(store: Map<K, V>, key: K, make: () => V): V {
  const known = store.get(key)
  if (known !== undefined) return known
  const made = make()
  store.set(key, made)
  return made
}

/** Returns `make` with its results kept. Those that are undefined are made again. */
export function memoised<K, V>(make: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>()
  // Called a hundred million times, so without a function for each call.
  return key => {
    let value = known.get(key)
    if (value === undefined) {
      value = make(key)
      known.set(key, value)
    }
    return value
  }
}

/** Sets the value at `key`; null after two that differ. */
export function agree<K, V>(store: Map<K, V | null>, key: K, value: V): void {
  if (getOrMake(store, key, () => value) !== value) store.set(key, null)
}

/** Adds `item` to the set at `key`. */
export function addToSet<K, T>(sets: Map<K, Set<T>>, key: K, item: T): void {
  getOrMake(sets, key, () => new Set<T>()).add(item)
}

/** Adds `by` to the count at `key`. */
export function increment<K>(counts: Map<K, number>, key: K, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by)
}

/** Adds `by` to the count at `key` and `inner`. */
export function incrementIn<K, L>(tables: Map<K, Map<L, number>>, key: K, inner: L, by = 1): void {
  increment(
    getOrMake(tables, key, () => new Map<L, number>()),
    inner,
    by,
  )
}

/** Returns the key with the highest count, the first of equals; undefined for none. */
export function mostFrequent<K>(counts: ReadonlyMap<K, number>): K | undefined {
  let [best, most]: [K | undefined, number] = [undefined, 0]
  for (const [key, count] of counts) if (count > most) [best, most] = [key, count]
  return best
}

/** Returns the sum of all counts. */
export function sumOf(counts: ReadonlyMap<unknown, number>): number {
  let sum = 0
  for (const count of counts.values()) sum += count
  return sum
}
