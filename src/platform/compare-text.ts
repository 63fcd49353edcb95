/** Compares by UTF-16 units, not by locale, so that every machine builds the same bytes. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
