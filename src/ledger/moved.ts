/** The file `moved` in a ledger's folder: its accounts are in the database of a fleet, or a move to it was cut short. */
import { join } from 'node:path'
import { z } from 'zod'
import type { FileSystem } from './disk/file-system.ts'
import { ledgerFolder, parseJson, readText, replaceFile, writeAll } from './disk/files.ts'
import { nodeFileSystem } from './disk/node-file-system.ts'
import { damage, LedgerError } from './ledger-error.ts'

const MOVED_NAME = 'moved'

const movedFile = z.object({
  /** A UUID of the move, which the database knows once it has committed it. */
  move: z.string(),
  isDone: z.boolean(),
  database: z.string(),
  time: z.string(),
})
export type MovedFile = z.infer<typeof movedFile>

export async function readMoved(dir: string, fs: FileSystem = nodeFileSystem): Promise<MovedFile | null> {
  const folder = ledgerFolder(dir)
  if (!(await fs.list(folder)).includes(MOVED_NAME)) return null
  const path = join(folder, MOVED_NAME)
  return parseJson(movedFile, await readText(fs, path), flaw => {
    const remedy = 'Restore the file from a backup of this folder.'
    return damage(path, 0, flaw, 'the record of a move', remedy)
  })
}

export async function writeMoved(
  dir: string,
  content: MovedFile,
  fs: FileSystem = nodeFileSystem,
): Promise<void> {
  const folder = ledgerFolder(dir)
  await replaceFile(fs, folder, join(folder, MOVED_NAME), file =>
    writeAll(file, Buffer.from(`${JSON.stringify(content)}\n`), 0),
  )
}

export async function expectNotMoved(dir: string, fs: FileSystem = nodeFileSystem): Promise<void> {
  const moved = await readMoved(dir, fs)
  if (moved !== null) throw new LedgerError('REFUSED', movedSentence(dir, moved))
}

export function movedSentence(dir: string, { isDone, database, time }: MovedFile): string {
  const folder = ledgerFolder(dir)
  if (isDone) return `the accounts of ${folder} were moved to ${database} at ${time}. Set ACCOUNTS to it.`
  return (
    `the move of ${folder} to ${database} was cut short, or is running. Run \`postrie migrate ledger-to-postgres\` again, ` +
    'with the same ACCOUNTS and DATA_DIR, to finish it. To stay with this ledger instead, make sure that `postrie fleet ' +
    `status\` shows 0 accounts there, and remove ${join(folder, MOVED_NAME)}.`
  )
}
