/** A map that survives the process: in a file of DATA_DIR, or in the database of a fleet. */
export interface KeyedStore<T> {
  readonly size: number
  get(key: string): T | undefined
  keys(): IterableIterator<string>
  entries(): IterableIterator<[string, T]>
  /** Takes effect at once and resolves when it is durable. @throws what the write failed with; the value stays */
  set(key: string, value: T): Promise<void>
  /** As `set`. */
  delete(key: string): Promise<void>
  /** Resolves when everything so far is durable or has failed. */
  settled(): Promise<void>
  /** As `settled`, after the last change. */
  close(): Promise<void>
}

/** Where a fleet keeps such maps, by name; each value is JSON. Only the node with the dashboard may write there. */
export interface SharedRows {
  read(name: string): Promise<readonly (readonly [key: string, json: string])[]>
  /** Null deletes. @throws when the database does not have it then */
  write(name: string, changes: readonly (readonly [key: string, json: string | null])[]): Promise<void>
  /** Takes over what a file had. False: that of another one was taken over before, and nothing has changed. */
  carry(name: string, rows: readonly (readonly [key: string, json: string])[]): Promise<boolean>
}
