/** `postrie account …`, `postrie key …` and `postrie token`, derived from the table of operator commands. */
import { type Command, Option } from 'commander'
import type { OperatorCommand } from '../../console/operator/command.ts'
import { COMMANDS, type CommandName, type ResultOf } from '../../console/operator/commands.ts'
import { optionName, type ParamSyntax } from '../../console/operator/params.ts'
import { statementCsv } from '../../console/reports/statement.ts'
import { UsageError } from '../../platform/exit.ts'
import { addCommand, addGroup, print } from './add-command.ts'
import { operate } from './operate.ts'
import { resultText } from './result-text.ts'

/** Groups by the beginning of the names of their commands. */
const GROUPS = {
  account: {
    summary: 'open, find, show, credit, refund, limit, suspend and close accounts, and their members',
    example: 'postrie account credit ada@example.com 5.00 --reference invoice-17',
  },
  member: {
    summary: 'list, add and remove the members of an account',
    example: 'postrie account members add shop@example.com ada@example.com --role billing',
  },
  key: {
    summary: 'create, list, roll, cap, bind, switch and revoke API keys',
    example: 'postrie key create ada@example.com --label production',
  },
}

export function addCommands(program: Command): void {
  let group = program
  for (const [prefix, texts] of Object.entries(GROUPS)) {
    // Members are below the account, the group before.
    group = prefix === 'member' ? addGroup(group, 'members', texts) : addGroup(program, prefix, texts)
    // A mistyped command must not suggest one that moves money.
    if (prefix === 'account') group.showSuggestionAfterError(false)
    for (const command of COMMANDS)
      if (command.name.startsWith(`${prefix}.`)) addOperatorCommand(group, command as OperatorCommand)
  }
  addOperatorCommand(program, COMMANDS.find(({ name }) => name === 'token') as unknown as OperatorCommand)
}

function addOperatorCommand(
  group: Command,
  { name, summary, example = '', positional, params, columns, note }: OperatorCommand,
): void {
  const command = addCommand(group, name.slice(name.indexOf('.') + 1), { summary, example })
  const isRequired = (param: string) => !params.shape[param].safeParse(undefined).success
  const syntaxOf = (param: string): ParamSyntax => params.shape[param].meta() ?? {}
  for (const param of positional) {
    const { placeholder = param } = syntaxOf(param)
    const usage = isRequired(param) ? `<${placeholder}>` : `[${placeholder}]`
    command.argument(usage, descriptionOf(syntaxOf(param)))
  }
  const options = Object.keys(params.shape)
    .filter(param => !positional.includes(param))
    .map(param => ({
      param,
      option: optionOf(param, syntaxOf(param)).makeOptionMandatory(isRequired(param)),
    }))
  for (const { option } of options) command.addOption(option)
  if (name === 'account.statement') command.option('--csv', 'as comma-separated values')
  command.action(async () => {
    const { json, csv, ...flags } = command.opts()
    const values = Object.fromEntries([
      ...positional.map((param, at) => [param, command.processedArgs[at]]),
      ...options.map(({ param, option }) => [param, flags[option.attributeName()]]),
    ])
    if (csv === true && json === true)
      throw new UsageError('--csv and --json exclude each other: give only one')
    const result = await operate(name as CommandName, values)
    if (csv === true) process.stdout.write(statementCsv(result as ResultOf<'account.statement'>))
    else print(json, result, () => resultText(result, columns, note?.(result)))
  })
}

const descriptionOf = ({ description = '', canBeNull }: ParamSyntax) =>
  canBeNull ? `${description}, or 'none'` : description

function optionOf(param: string, syntax: ParamSyntax): Option {
  const { placeholder, choices, preset } = syntax
  const result = new Option(`${optionName(param)} ${placeholder}`.trimEnd(), descriptionOf(syntax))
  if (choices !== undefined) result.choices(choices)
  if (preset !== undefined) result.default(preset)
  return result
}
