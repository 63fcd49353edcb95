/** `postrie backup` and `postrie restore`: a proved copy of accounts, keys and money, and the way back. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { BackupReport } from '../ledger/tools/backup-ledger.ts'
import { onLedger } from './ledger.ts'
import { operate } from './operate.ts'
import { example, JSON_OPTION, type JsonFlag } from './options.ts'
import { counted, money, print } from './words.ts'

const BACKUP_HELP = `
The folder must be missing or empty. It gets a copy of the ledger up to this moment, which is proved like
'postrie ledger verify' does; DATA_DIR=<folder> postrie ledger verify repeats the proof. The server may be running.
The index is not in it: it is built again. Copying DATA_DIR by other means while the server runs is not a backup.
`

const RESTORE_HELP = `
The backup is proved first, and the copy of it again before it is put in place. The server must be stopped. What happened
after the backup was made is not in it; rate limits begin to count again.
`

export function addBackupCommands(program: Command): void {
  program
    .command('backup <folder>')
    .description('copy accounts, keys and money into a folder, consistently, and prove the copy')
    .addOption(JSON_OPTION)
    .addHelpText('after', BACKUP_HELP + example('postrie backup /mnt/backups/2026-11-22'))
    .action(async (folder: string, { json }: JsonFlag) => {
      const target = resolve(folder)
      const { sequence } = await operate('ledger.settle', {})
      const { backupLedger } = await import('../ledger/tools/backup-ledger.ts')
      const report = await onLedger(dir => backupLedger(dir, target, sequence))
      print(json, report, made => `backed up to ${made.folder}: ${described(made)}`)
    })

  program
    .command('restore <backup>')
    .description('put the ledger of a backup into DATA_DIR; the server must be stopped')
    .option('--replace', 'move the ledger that is there aside, instead of refusing')
    .addOption(JSON_OPTION)
    .addHelpText('after', RESTORE_HELP + example('DATA_DIR=./data postrie restore /mnt/backups/2026-11-22'))
    .action(async (backup: string, { json, replace }: JsonFlag & { replace?: true }) => {
      const { restoreLedger } = await import('../ledger/tools/backup-ledger.ts')
      const report = await onLedger(
        dir => restoreLedger(resolve(backup), dir, { replace: replace === true }),
        { mayCreate: true },
      )
      print(json, report, made => {
        const aside = made.replaced === null ? '' : `\nthe ledger that was there is now ${made.replaced}`
        return `restored into ${made.folder}: ${described(made)}${aside}`
      })
    })
}

function described({ sequence, accounts, keys, balanceMicros, bytes }: BackupReport): string {
  const balance = money(balanceMicros / 1_000_000)
  const holders = `${counted(accounts, 'account')}, ${counted(keys, 'key')}`
  return `${holders}, balance ${balance}, ${counted(sequence, 'entry', 'entries')}, ${counted(bytes, 'byte')}`
}
