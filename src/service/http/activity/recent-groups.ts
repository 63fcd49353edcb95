/** Groups of items, with a bound of all items. The group that was written least recently is dropped first. */
export class RecentGroups<G, K, V> {
  readonly #itemsMax: number
  readonly #groupMax: number
  #size = 0
  readonly #groups = new Map<G, Map<K, V>>()

  /** @param groupMax items of one group. A further one drops the item that was written least recently */
  constructor(itemsMax: number, groupMax: number) {
    this.#itemsMax = itemsMax
    this.#groupMax = groupMax
  }

  set(group: G, key: K, item: V): void {
    const items = this.#groups.get(group) ?? new Map<K, V>()
    this.#groups.delete(group)
    this.#groups.set(group, items)
    this.#size -= items.size
    items.delete(key)
    items.set(key, item)
    const [first] = items.size > this.#groupMax ? items.keys() : []
    if (first !== undefined) items.delete(first)
    this.#size += items.size
    // The loop walks over the holes of moved groups.
    if (this.#size <= this.#itemsMax) return
    for (const [oldest, { size }] of this.#groups) {
      if (this.#size <= this.#itemsMax) break
      this.#groups.delete(oldest)
      this.#size -= size
    }
  }

  of(group: G): ReadonlyMap<K, V> {
    return this.#groups.get(group) ?? new Map()
  }

  remove(group: G, key: K): void {
    if (this.#groups.get(group)?.delete(key)) this.#size--
  }

  /** Returns all groups with their items. Both begin with the one written least recently. */
  entries(): [G, V[]][] {
    return Array.from(this.#groups, ([group, items]) => [group, [...items.values()]])
  }
}
