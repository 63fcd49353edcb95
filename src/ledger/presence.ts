/** Whether a data folder has a ledger, and whether one that is missing was lost or never made. */
import { join } from 'node:path'
import type { FileSystem } from './disk/file-system.ts'
import { DASHBOARD_KEY_NAME, LEDGER_FOLDER, LOCK_NAME, ledgerFolder, METER_NAME } from './disk/files.ts'
import { nodeFileSystem } from './disk/node-file-system.ts'
import { LedgerError } from './errors.ts'

/**
 * Names that `restore` gives in the data folder: to a copy that is not proved yet, to a proved copy, and to the ledger
 * that was there before.
 */
export function restoreNames(nowMs: number): { unproved: string; proved: string; replaced: string } {
  const proved = `restore-${nowMs}`
  return { unproved: `${proved}.new`, proved, replaced: `${LEDGER_FOLDER}.replaced-${nowMs}` }
}

/** Names that a move from a fleet gives in the data folder: to the new ledger's parent, and to the ledger that was there before. */
export function moveNames(nowMs: number): { staged: string; replaced: string } {
  return { staged: `migrate-${nowMs}`, replaced: `${LEDGER_FOLDER}.moved-${nowMs}` }
}

const UNPROVED = /^restore-\d+\.new$/
const PROVED = /^restore-\d+$/
const REPLACED = /^ledger\.replaced-\d+$/
const STAGED = /^migrate-\d+$/
const MOVED_ASIDE = /^ledger\.moved-\d+$/

/** Copies of restores that never ended. */
export function strayRestores(names: readonly string[]): string[] {
  return names.filter(name => UNPROVED.test(name) || PROVED.test(name))
}

/** Ledgers of moves from a fleet that never ended. */
export function strayMoves(names: readonly string[]): string[] {
  return names.filter(name => STAGED.test(name))
}

/** For commands that may not make a ledger. @throws LedgerError REFUSED when there is none in `dir` */
export async function expectLedger(dir: string, fs: FileSystem = nodeFileSystem): Promise<void> {
  if (await hasLedger(fs, dir)) return
  await expectNotLost(dir, fs)
  const message =
    `there is no ledger in ${dir}. Set DATA_DIR to the folder that has it; \`postrie serve\`, ` +
    '`postrie account create` and `postrie restore` make a new one.'
  throw new LedgerError('REFUSED', message)
}

/**
 * For commands that make a ledger where there is none: a missing one must never have been there.
 * @throws LedgerError REFUSED when a restore or a move was cut short in `dir`, or the ledger was lost
 */
export async function expectNotLost(dir: string, fs: FileSystem = nodeFileSystem): Promise<void> {
  if (await hasLedger(fs, dir)) return
  const names = await fs.list(dir)
  const newest = (pattern: RegExp): string | undefined => names.findLast(name => pattern.test(name))
  const ledger = ledgerFolder(dir)
  const move = (from: string): string => {
    // Whoever was refused before this one may have left a folder with only the lock in it.
    const first = names.includes(LEDGER_FOLDER)
      ? `rm -f ${join(ledger, LOCK_NAME)} && rmdir ${ledger} && `
      : ''
    return `${first}mv ${from} ${ledger}`
  }
  const [proved, replaced, unproved] = [newest(PROVED), newest(REPLACED), newest(UNPROVED)]
  const remedies: string[] = []
  if (proved !== undefined) {
    remedies.push(`to finish the restore, run \`${move(join(dir, proved, LEDGER_FOLDER))}\``)
  }
  if (replaced !== undefined) {
    remedies.push(`to go back to the ledger from before, run \`${move(join(dir, replaced))}\``)
  }
  if (unproved !== undefined && proved === undefined) {
    remedies.push(`to restore again, run \`postrie restore <backup>\``)
  }
  const where = `there is no ledger in ${dir}`
  if (remedies.length > 0) {
    const found = [proved, replaced, unproved].filter(name => name !== undefined).join(' and ')
    const message = `${where}, but ${found}: a restore is running or was cut short. If none is running: ${remedies.join('; ')}.`
    throw new LedgerError('REFUSED', message)
  }
  const [staged, aside] = [newest(STAGED), newest(MOVED_ASIDE)]
  if (staged !== undefined || aside !== undefined) {
    const found = [staged, aside].filter(name => name !== undefined).join(' and ')
    const message =
      `${where}, but ${found}: a move from a fleet is running or was cut short. If none is running, run ` +
      '`postrie migrate postgres-to-ledger` again, with the same ACCOUNTS.'
    throw new LedgerError('REFUSED', message)
  }
  if (!names.includes(DASHBOARD_KEY_NAME)) return
  const key = join(dir, DASHBOARD_KEY_NAME)
  const message =
    `${where}, but ${DASHBOARD_KEY_NAME} of a service that had one: the ledger was lost. Put it back, or run ` +
    `\`postrie restore <backup>\`. To start again without its accounts, keys and money, remove ${key}.`
  throw new LedgerError('REFUSED', message)
}

/** Whether the folder has a segment, a snapshot or a meter. What is missing of them is for recovery to judge. */
export async function hasLedger(fs: FileSystem, dir: string): Promise<boolean> {
  const names = await fs.list(ledgerFolder(dir))
  return names.some(name => name === METER_NAME || /^\d{16}\.(segment|snapshot)$/.test(name))
}
