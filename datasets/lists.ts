/** Adds `item` to the list at `key`. */
export function addTo<K, T>(lists: Map<K, T[]>, key: K, item: T): void {
  const known = lists.get(key)
  if (known === undefined) lists.set(key, [item])
  else known.push(item)
}
