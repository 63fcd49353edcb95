/** Rows of text that the node with the dashboard keeps in the database: by a name, such as `alerts`, and a key. */

export type Row = readonly [key: string, value: string]

/** Null deletes. */
export type RowChange = readonly [key: string, value: string | null]

/** Part of `FleetStore`. */
export interface RowStore {
  /** The next rows of a name in the order of their keys, from the beginning or after a key. */
  readRows(name: string, afterKey: string | null, rowsMax: number): Promise<Row[]>
  /** Sets rows, and deletes those whose value is null. @throws FencedError when another node has the dashboard; RefusedError for an earlier epoch */
  writeRows(caller: Caller, name: string, changes: readonly RowChange[]): Promise<void>
  /** Takes over the rows of a file that no newer ones have replaced. False: those of a file were taken over before. As `writeRows`. */
  carryRows(caller: Caller, name: string, rows: readonly Row[]): Promise<boolean>
}

/** A node, and its present epoch. */
interface Caller {
  readonly node: string
  readonly epoch: number
}
