/** Adds commands with their help, and prints their results. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { COUNTRY_EXPECTED, countryLetters } from '../../postal/library/country-texts.ts'
import { KEY_VARIABLE } from '../code-source.ts'

export const REMOTE_OPTION = new Option(
  '--remote <url>',
  `ask the service at this address, with the key in ${KEY_VARIABLE}; each answer is charged`,
)

export interface JsonFlag {
  json?: true
}

interface CommandTexts {
  summary: string
  example: string
  help?: string
}

export function addCommand(parent: Command, usage: string, texts: CommandTexts): Command {
  return addGroup(parent, usage, texts).option('--json', 'print one JSON document')
}

/** Adds a group of commands, or a command that cannot print JSON. */
export function addGroup(
  parent: Command,
  usage: string,
  { summary, example, help = '' }: CommandTexts,
): Command {
  return parent.command(usage).description(summary).addHelpText('after', `${help}\nExample:\n  $ ${example}`)
}

export function createNumberParser(min: number, max: number): (text: string) => number {
  return text => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be ${min} to ${max}.`)
  }
}

export function parseCountry(text: string): string {
  const letters = countryLetters(text)
  if (letters === undefined) throw new InvalidArgumentError(`It must be ${COUNTRY_EXPECTED}.`)
  return letters
}

/** Prints a result of a command. */
export function print<T>(json: boolean | undefined, value: T, words: (value: T) => string): void {
  process.stdout.write(`${json === true ? JSON.stringify(value) : words(value)}\n`)
}
