/** Output of commands: one JSON document with `--json`, else words. */

export function print<T>(json: boolean | undefined, value: T, words: (value: T) => string): void {
  process.stdout.write(`${json === true ? JSON.stringify(value) : words(value)}\n`)
}

/** `$5.00`, `$0.028`, `-$4.999972`: at least two decimals, never a rounded one. */
export function money(dollars: number): string {
  const [whole, fraction = ''] = Math.abs(dollars).toFixed(6).split('.')
  return `${dollars < 0 ? '-' : ''}$${whole}.${fraction.replace(/0+$/, '').padEnd(2, '0')}`
}

export function counted(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`
}

/** An ISO time as `2026-11-21 10:11:06` in UTC, or a dash for none. */
export function time(iso: string | null): string {
  return iso === null ? '-' : iso.slice(0, 19).replace('T', ' ')
}
