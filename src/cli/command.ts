/** Commands of the command line: how one is added, and how it prints. */
import { type Command, Option } from 'commander'

export interface JsonFlag {
  json?: true
}

export const JSON_OPTION = new Option('--json', 'print one JSON document')

/** Adds a command that can print JSON. */
export function addCommand(above: Command, usage: string, summary: string, line: string, help = ''): Command {
  return addGroup(above, usage, summary, line, help).addOption(JSON_OPTION)
}

/** Adds a command that has others below it, or that prints no JSON. */
export function addGroup(above: Command, usage: string, summary: string, line: string, help = ''): Command {
  return above.command(usage).description(summary).addHelpText('after', `${help}\nExample:\n  $ ${line}`)
}

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
