/** File `moved` in a ledger's folder. It shows that the accounts were moved to a fleet's database, or that the move was cut short. */
import { join } from 'node:path'
import * as z from 'zod'
import type { FileSystem } from './disk/file-system.ts'
import { ledgerFolder, readJson, writeJson } from './disk/files.ts'
import { nodeFileSystem } from './disk/node-file-system.ts'
import { damage, LedgerError } from './ledger-error.ts'

const movedFile = z.object({
  /** UUID of the move. The database has it once the move is committed. */
  move: z.string(),
  isDone: z.boolean(),
  database: z.string(),
  time: z.string(),
})
export type MigratedFile = z.infer<typeof movedFile>

export function readMigrated(dir: string, fs: FileSystem = nodeFileSystem): Promise<MigratedFile | null> {
  const path = pathOf(dir)
  const remedy = 'Restore the file from a backup of this folder.'
  return readJson(fs, path, movedFile, flaw => damage(path, 0, flaw, 'the record of a move', remedy))
}

export function writeMigrated(dir: string, content: MigratedFile): Promise<void> {
  return writeJson(nodeFileSystem, pathOf(dir), content)
}

export async function expectNotMigrated(dir: string, fs: FileSystem = nodeFileSystem): Promise<void> {
  const moved = await readMigrated(dir, fs)
  if (moved !== null) throw new LedgerError('REFUSED', migratedSentence(dir, moved))
}

export function migratedSentence(dir: string, { isDone, database, time }: MigratedFile): string {
  const folder = ledgerFolder(dir)
  if (isDone) return `the accounts of ${folder} were moved to ${database} at ${time}. Set ACCOUNTS to it.`
  return (
    `the move of ${folder} to ${database} was cut short, or is running. Run \`postrie migrate ledger-to-postgres\` again, ` +
    'with the same ACCOUNTS and DATA_DIR, to finish it. To stay with this ledger instead, make sure that `postrie fleet ' +
    `status\` shows 0 accounts there, and remove ${pathOf(dir)}.`
  )
}

function pathOf(dir: string): string {
  return join(ledgerFolder(dir), 'moved')
}
