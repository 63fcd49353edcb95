/** Appends `item` to the list at `key`. */
export function addTo<K, T>(lists: Map<K, T[]>, key: K, item: T): void {
  const known = lists.get(key)
  if (known === undefined) lists.set(key, [item])
  else known.push(item)
}

interface Store<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): unknown
}

/** Returns the value at `key`. Makes it the first time. */
export function getOrMake<K, V>(store: Store<K, V>, key: K, make: () => V): V {
  const known = store.get(key)
  if (known !== undefined) return known
  const made = make()
  store.set(key, made)
  return made
}
