/** Prints results, and formats their values. */

export function print<T>(json: boolean | undefined, value: T, words: (value: T) => string): void {
  process.stdout.write(`${json === true ? JSON.stringify(value) : words(value)}\n`)
}

/** Returns an ISO time as `2026-11-21 10:11:06` in UTC; a dash for null. */
export function formatTime(iso: string | null): string {
  return iso === null ? '-' : iso.slice(0, 19).replace('T', ' ')
}
