/** The file `moved` in a ledger's folder: its accounts are elsewhere, or a move to or from it was cut short. */
import { join } from 'node:path'
import type { FileSystem } from './disk/file-system.ts'
import { ledgerFolder, readWhole, replaceFile, syncFolder, writeAll } from './disk/files.ts'
import { nodeFileSystem } from './disk/node-file-system.ts'
import { LedgerError } from './errors.ts'

const MOVED_NAME = 'moved'

export interface MovedFile {
  /** A UUID of the move, which the database knows once it has committed it. */
  move: string
  /** Where the accounts go: to the database, or to this ledger, which counts only once the file is gone. */
  to: 'postgres' | 'ledger'
  /** False while the move may have been cut short. */
  isDone: boolean
  /** Where the database is, without its password. */
  database: string
  /** When the move began, in ISO 8601. */
  time: string
}

/** Null when there is none. @throws LedgerError DAMAGED when it is not one */
export async function readMoved(dir: string, fs: FileSystem = nodeFileSystem): Promise<MovedFile | null> {
  const folder = ledgerFolder(dir)
  if (!(await fs.list(folder)).includes(MOVED_NAME)) return null
  const file = join(folder, MOVED_NAME)
  const text = (await readWhole(fs, file)).toString()
  const content = parsed(text)
  if (content !== null) return content
  const finding = { found: JSON.stringify(text.slice(0, 100)), expected: 'the record of a move' }
  const remedy = 'Restore the file from a backup of this folder.'
  throw new LedgerError('DAMAGED', { file, offset: 0, ...finding, remedy })
}

/** Writes it durably, in place of the previous one. */
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

/** The ledger counts from now on, durably. */
export async function removeMoved(dir: string, fs: FileSystem = nodeFileSystem): Promise<void> {
  const folder = ledgerFolder(dir)
  await fs.remove(join(folder, MOVED_NAME))
  await syncFolder(fs, folder)
}

/** For whoever would charge or command with this ledger. @throws LedgerError REFUSED when its accounts are elsewhere, or may be */
export async function expectNotMoved(dir: string, fs: FileSystem = nodeFileSystem): Promise<void> {
  const moved = await readMoved(dir, fs)
  if (moved !== null) throw new LedgerError('REFUSED', movedSentence(dir, moved))
}

/** Where the accounts are, and what to do. */
export function movedSentence(dir: string, { to, isDone, database, time }: MovedFile): string {
  const folder = ledgerFolder(dir)
  if (to === 'ledger')
    return (
      `the move of the fleet in ${database} to ${folder} was cut short. Run \`postrie migrate postgres-to-ledger\` ` +
      'again, with the same ACCOUNTS and DATA_DIR, to finish it.'
    )
  if (isDone)
    return (
      `the accounts of ${folder} were moved to ${database} at ${time}. Set ACCOUNTS to it; to move them back, stop all ` +
      'nodes and run `postrie migrate postgres-to-ledger`.'
    )
  return (
    `the move of ${folder} to ${database} was cut short, or is running. Run \`postrie migrate ledger-to-postgres\` again, ` +
    'with the same ACCOUNTS and DATA_DIR, to finish it. To stay with this ledger instead, make sure that `postrie fleet ' +
    `status\` shows 0 accounts there, and remove ${join(folder, MOVED_NAME)}.`
  )
}

function parsed(text: string): MovedFile | null {
  try {
    const { move, to, isDone, database, time } = Object(JSON.parse(text))
    const texts = [move, database, time]
    if (!texts.every(value => typeof value === 'string') || typeof isDone !== 'boolean') return null
    return to === 'postgres' || to === 'ledger' ? { move, to, isDone, database, time } : null
  } catch {
    return null
  }
}
