/** Prints results, and formats their values. */

export function print<T>(json: boolean | undefined, value: T, words: (value: T) => string): void {
  process.stdout.write(`${json === true ? JSON.stringify(value) : words(value)}\n`)
}

/** Returns `$5.00`, `$0.028` or `-$4.999972`: two to six decimals. */
export function formatMoney(dollars: number): string {
  const [whole, fraction = ''] = Math.abs(dollars).toFixed(6).split('.')
  return `${dollars < 0 ? '-' : ''}$${whole}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`
}

export function formatMicros(micros: number): string {
  return formatMoney(micros / 1_000_000)
}

/** Returns a count with its noun: `1 key`, `2 keys`. */
export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`
}

/** Returns an ISO time as `2026-11-21 10:11:06` in UTC; a dash for null. */
export function formatTime(iso: string | null): string {
  return iso === null ? '-' : iso.slice(0, 19).replace('T', ' ')
}
