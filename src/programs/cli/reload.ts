/** `postrie reload`: makes the running server reload the index file, and prints the outcome. */
import type { Command } from 'commander'
import { askServer, RELOAD } from '../../console/operator/operator-client.ts'
import { OperatorError } from '../../console/operator/operator-error.ts'
import { EXIT } from '../../platform/exit.ts'
import { readConfig } from '../../platform/settings/config.ts'
import type { Reload } from '../../service/data-plane.ts'
import { addCommand, type JsonFlag, print } from './add-command.ts'

export function addCommands(program: Command): void {
  addCommand(program, 'reload', {
    summary: 'make the running server serve the current index file. Exit code 1: the file is refused',
    example: 'postrie build && postrie reload',
  }).action(async ({ json }: JsonFlag) => {
    const { socketFile } = readConfig(process.env)
    const answer = await askServer(socketFile, RELOAD, {})
    if (!answer.reached)
      throw new OperatorError(
        'unavailable',
        `no server listens on ${socketFile}: set DATA_DIR to the server's folder, or start it with \`postrie serve\``,
      )
    const reload = answer.result as Reload
    print(json, reload, reloadText)
    if (reload.outcome === 'refused') process.exitCode = EXIT.failed
  })
}

function reloadText({ outcome, buildId, codeCount, problem }: Reload): string {
  const build = `build ${buildId} with ${codeCount.toLocaleString('en')} codes`
  if (outcome === 'refused')
    return `The server still serves ${build}. The new index cannot be used: ${problem}`
  return `The server ${outcome === 'same' ? 'already served' : 'now serves'} ${build}.`
}
