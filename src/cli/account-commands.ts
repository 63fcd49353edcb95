/** `postrie account …` and `postrie key …`, from the table of commands. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Command as OperatorCommand } from '../control/operator/command.ts'
import { COMMANDS, type CommandName, type ResultOf } from '../control/operator/commands.ts'
import type { Written } from '../control/operator/params.ts'
import { statementCsv } from '../control/reports/statement.ts'
import { addCommand, addGroup, print } from './command.ts'
import { operate } from './operate.ts'
import { inWords } from './result-words.ts'

const GROUPS = [
  {
    of: 'account',
    path: ['account'],
    summary: 'open, list, credit and limit accounts',
    example: 'postrie account credit ada@example.com 5.00 --reference invoice-17',
  },
  {
    of: 'member',
    path: ['account', 'members'],
    summary: 'list, add and remove those who may act for an account',
    example: 'postrie account members add shop@example.com ada@example.com --role billing',
  },
  {
    of: 'key',
    path: ['key'],
    summary: 'create, list and revoke API keys',
    example: 'postrie key create ada@example.com --label production',
  },
] as const

export function addAccountCommands(program: Command): void {
  for (const { of, path, summary, example: line } of GROUPS) {
    const above = path
      .slice(0, -1)
      .reduce<Command>((at, word) => at.commands.find(c => c.name() === word) ?? at, program)
    const group = addGroup(above, path[path.length - 1], summary, line)
    for (const command of COMMANDS)
      if (command.name.startsWith(`${of}.`)) addOperatorCommand(group, command as OperatorCommand)
  }
}

function addOperatorCommand(
  group: Command,
  { name, summary, example: line = '', positional, params, columns, note }: OperatorCommand,
): void {
  const command = addCommand(group, name.slice(name.indexOf('.') + 1), summary, line)
  const isRequired = (param: string) => !params.shape[param].safeParse(undefined).success
  const written = (param: string): Written => params.shape[param].meta() ?? {}
  for (const param of positional) {
    const { placeholder = param } = written(param)
    command.argument(isRequired(param) ? `<${placeholder}>` : `[${placeholder}]`)
  }
  const options = Object.keys(params.shape)
    .filter(param => !positional.includes(param))
    .map(param => ({ param, option: optionOf(param, written(param)).makeOptionMandatory(isRequired(param)) }))
  for (const { option } of options) command.addOption(option)
  if (name === 'account.statement') command.option('--csv', 'as comma-separated values')
  command.action(async () => {
    const { json, csv, ...flags } = command.opts()
    const values = Object.fromEntries([
      ...positional.map((param, at) => [param, command.processedArgs[at]]),
      ...options.map(({ param, option }) => {
        const value = flags[option.attributeName()]
        return [param, value === LIFTED ? null : value]
      }),
    ])
    const result = await operate(name as CommandName, values)
    if (csv === true) process.stdout.write(statementCsv(result as ResultOf<'account.statement'>))
    else print(json, result, () => inWords(result, columns, note?.(result)))
  })
}

/** Stands for null, which commander would turn into an empty text. */
const LIFTED = Symbol('none')

function optionOf(
  param: string,
  { placeholder, option, description = '', choices, preset, lifts = false, fromText }: Written,
): Option {
  const name = option ?? param.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
  const flags = placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`
  const made = new Option(flags, lifts ? `${description}, or 'none'` : description)
  if (choices !== undefined) made.choices(choices)
  if (preset !== undefined) made.default(preset)
  if (fromText === undefined) return made
  return made.argParser(text => {
    if (lifts && text === 'none') return LIFTED
    try {
      return fromText(text)
    } catch (error) {
      const { message } = error as Error
      throw new InvalidArgumentError(lifts ? message.replace(/\.$/, " or 'none'.") : message)
    }
  })
}
