import { type Command, InvalidArgumentError } from 'commander'

export interface JsonFlag {
  json?: true
}

/** Texts of `--help`. */
interface CommandTexts {
  summary: string
  example: string
  help?: string
}

/** Adds a command that can print JSON. */
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
