/** Distinguishes a folder that never had a ledger from one whose ledger was lost. */
import { join } from 'node:path'
import type { FileSystem } from './disk/file-system.ts'
import { LEDGER_FOLDER, ledgerFolder, METER_NAME } from './disk/files.ts'
import { nodeFileSystem } from './disk/node-file-system.ts'
import { LedgerError } from './ledger-error.ts'

/** Name of a restore's copy in the data folder, before a time. */
export const RESTORE_COPY = 'restore-'
/** Name of a replaced ledger in the data folder, before the time of the restore. */
export const REPLACED = `${LEDGER_FOLDER}.replaced-`

/** Secret of the dashboard in the data folder. It is created after the ledger, so without a ledger it proves that the ledger was lost. */
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

/** Checks that a ledger may be made in `dir`. @throws LedgerError REFUSED if a restore was cut short, or the ledger was lost */
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
