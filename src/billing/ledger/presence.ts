/** Distinguishes a folder that never had a ledger from one whose ledger was lost. */
import { join } from 'node:path'
import type { FileSystem } from './disk/file-system.ts'
import { DASHBOARD_KEY_NAME, LEDGER_FOLDER, LOCK_NAME, ledgerFolder, METER_NAME } from './disk/files.ts'
import { nodeFileSystem } from './disk/node-file-system.ts'
import { LedgerError } from './ledger-error.ts'

/** Returns the names of a restore in the data folder: its copy, and the replaced ledger, moved aside once the copy is proved. */
export function restoreNames(time: number | string): { copy: string; replaced: string } {
  return { copy: `restore-${time}`, replaced: `${LEDGER_FOLDER}.replaced-${time}` }
}

export const RESTORE_COPY = /^restore-(\d+)$/
const REPLACED = /^ledger\.replaced-\d+$/

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
  const copy = names.findLast(name => RESTORE_COPY.test(name))
  const replaced = names.findLast(name => REPLACED.test(name))
  const left = [copy, replaced].filter(name => name !== undefined)
  const where = `there is no ledger in ${dir}, but`
  if (left.length > 0) {
    const isProved =
      copy !== undefined && restoreNames(copy.replace(RESTORE_COPY, '$1')).replaced === replaced
    // A refused command may have left a folder with only the lock in it.
    const ledger = ledgerFolder(dir)
    const first = names.includes(LEDGER_FOLDER)
      ? `rm -f ${join(ledger, LOCK_NAME)} && rmdir ${ledger} && `
      : ''
    const remedies = isProved
      ? [`to finish the restore, run \`${first}mv ${join(dir, copy, LEDGER_FOLDER)} ${ledger}\``]
      : ['to restore again, run `postrie restore <backup>`']
    if (replaced !== undefined)
      remedies.push(
        `to go back to the ledger from before, run \`${first}mv ${join(dir, replaced)} ${ledger}\``,
      )
    const message =
      `${where} ${left.join(' and ')}: a restore is running or was cut short. If none is running: ` +
      `${remedies.join('; ')}.`
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
