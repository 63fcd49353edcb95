/** Tells if a folder has a ledger, never had one, has lost it, or has moved its accounts to a database. */
import { join } from 'node:path'
import * as z from 'zod'
import type { FileSystem } from './disk/file-system.ts'
import { LEDGER_FOLDER, ledgerFolder, METER_NAME, readJson, writeJson } from './disk/files.ts'
import { nodeFileSystem } from './disk/node-file-system.ts'
import { damage, LedgerError } from './ledger-error.ts'

/** Name of a restore's copy in the data folder, before a time. */
export const RESTORE_COPY = 'restore-'
/** Name of a replaced ledger in the data folder, before the time of the restore. */
export const REPLACED = `${LEDGER_FOLDER}.replaced-`

/** Secret of the dashboard. It is created after the ledger, so alone it proves that the ledger was lost. */
export const DASHBOARD_KEY_NAME = 'dashboard.key'

/** Checks that `dir` has a ledger. @throws LedgerError REFUSED */
export async function expectLedger(dir: string, fs: FileSystem = nodeFileSystem): Promise<void> {
  if (await hasLedger(fs, dir)) return
  await expectNotLost(dir, fs)
  const message =
    `there is no ledger in ${dir}. Set DATA_DIR to the folder that has it; \`postrie serve\`, ` +
    '`postrie account create` and `postrie restore` make a new one.'
  throw new LedgerError('REFUSED', message)
}

/** Checks that a ledger may be made. @throws LedgerError REFUSED after a cut restore or a lost ledger */
export async function expectNotLost(dir: string, fs: FileSystem = nodeFileSystem): Promise<void> {
  if (await hasLedger(fs, dir)) return
  const names = await fs.list(dir)
  const left = names.filter(name => name.startsWith(RESTORE_COPY) || name.startsWith(REPLACED))
  const where = `there is no ledger in ${dir}, but`
  if (left.length > 0) {
    const replaced = left.findLast(name => name.startsWith(REPLACED))
    const back =
      replaced === undefined
        ? ''
        : ` Or go back to the ledger from before: replace ${ledgerFolder(dir)} by ${join(dir, replaced)}.`
    const message =
      `${where} ${left.join(' and ')}: a restore is running or was cut short. If none is running, restore again with ` +
      `\`postrie restore <backup>\`.${back}`
    throw new LedgerError('REFUSED', message)
  }
  if (!names.includes(DASHBOARD_KEY_NAME)) return
  const message =
    `${where} ${DASHBOARD_KEY_NAME} of a service that had one: the ledger was lost. Put it back, or run \`postrie restore ` +
    `<backup>\`. To start again without its accounts, keys and money, remove ${join(dir, DASHBOARD_KEY_NAME)}.`
  throw new LedgerError('REFUSED', message)
}

/** True if the folder has a segment, a snapshot or a meter. Recovery reports missing files. */
async function hasLedger(fs: FileSystem, dir: string): Promise<boolean> {
  const names = await fs.list(ledgerFolder(dir))
  return names.some(name => name === METER_NAME || /^\d{16}\.(segment|snapshot)$/.test(name))
}

/** File `moved` in a ledger's folder: the accounts were moved, or the move was cut short. */
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
