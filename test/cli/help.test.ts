import type { Command } from 'commander'
import t from 'tap'
import { createProgram } from '../../src/cli/program.ts'

/** Commands that the builder documents. */
const DELEGATED = ['build', 'coverage', 'diff', 'verify-index']

t.test('every command has a help text with an example', async t => {
  for (const command of commands(await createProgram())) {
    if (DELEGATED.includes(command.name())) continue
    t.match(helpOf(command), /Example:\n {2}\$ .*postrie/, command.name())
  }
})

t.test('every command that prints something can print JSON', async t => {
  const leaves = commands(await createProgram()).filter(command => command.commands.length === 0)
  for (const command of leaves) {
    if (['serve', 'mcp'].includes(command.name()) || DELEGATED.includes(command.name())) continue
    t.match(helpOf(command), '--json', command.name())
  }
})

function commands(program: Command): Command[] {
  return [program, ...program.commands.flatMap(commands)]
}

function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: part => (text += part) })
  command.outputHelp()
  return text
}
