/** The tree of commands, one file per group. */
import type { Command } from 'commander'
import { addAccountCommands } from './account.ts'
import { addBackupCommands } from './backup.ts'
import { addCheckCommand } from './check.ts'
import { addCodeCommands } from './codes.ts'
import { addIndexCommands } from './index-commands.ts'
import { addKeyCommands } from './key.ts'
import { addLedgerCommands } from './ledger.ts'
import { addLicencesCommand } from './licences.ts'
import { addMcpCommand } from './mcp.ts'
import { addNearCommands } from './near.ts'
import { createServeProgram } from './program-base.ts'
import { addPublishCommand } from './publish.ts'
import { addReloadCommand } from './reload.ts'

/** A fresh program: tests and the entry each take their own, since commander keeps state in it. */
export function createProgram(): Command {
  const program = createServeProgram()
  addReloadCommand(program)
  addPublishCommand(program)
  addCodeCommands(program)
  addNearCommands(program)
  addCheckCommand(program)
  addMcpCommand(program)
  addIndexCommands(program)
  addAccountCommands(program)
  addKeyCommands(program)
  addLedgerCommands(program)
  addBackupCommands(program)
  addLicencesCommand(program)
  return program
}
