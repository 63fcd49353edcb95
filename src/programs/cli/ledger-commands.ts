/** `postrie ledger …`, `postrie backup` and `postrie restore`: tools on the ledger of DATA_DIR. */

import { once } from 'node:events'
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { withoutSecret } from '../../billing/accounts/secret.ts'
import { accountName } from '../../billing/demo-account.ts'
import { SHOWN_KINDS } from '../../billing/ledger/event.ts'
import { expectLedger } from '../../billing/ledger/presence.ts'
import type { BackupReport } from '../../billing/ledger/tools/backup-ledger.ts'
import type { LedgerEntry } from '../../billing/ledger/tools/show.ts'
import type { VerifyReport } from '../../billing/ledger/tools/verify-ledger.ts'
import { asOperatorError } from '../../console/operator/operator-error.ts'
import { money, plural, utcSecond } from '../../console/words.ts'
import { EXIT, UsageError } from '../../platform/exit.ts'
import { readConfig } from '../../platform/settings/config.ts'
import { bold } from '../../platform/terminal.ts'
import { table } from '../../platform/text-table.ts'
import { USAGE_NAMES } from '../../service/endpoints/table.ts'
import { addCommand, addGroup, type JsonFlag, print } from './add-command.ts'
import { expectDataFolder } from './data-folder.ts'
import { operate } from './operate.ts'
import { unsetText, valueText } from './result-text.ts'

const ROWS_PER_TABLE = 500
const VERIFY_EXIT = { sound: EXIT.ok, torn: EXIT.torn, damaged: EXIT.damaged } as const

interface ShowFlags extends JsonFlag {
  account?: string
  key?: string
  kind?: string[]
  from?: number
  to?: number
}

const BACKUP_HELP = `
The folder must be missing or empty. The ledger up to this moment is copied into it, and the copy is verified;
DATA_DIR=<folder> postrie ledger verify repeats that. The server may be running. The index is not copied: build it again.
Copying DATA_DIR by other means while the server runs is not a backup.
`

const SHOW_HELP = `
A kind has the same name in the table, with --json and for --kind. A credit or a debit has the kind that statements show:
payment, operator, free, reinstated, test, refund or dispute.
With --json, amounts are whole micro-dollars (1000000 is $1), and times milliseconds since 1970.
`

const RESTORE_HELP = `
Verifies the backup, and its copy before the copy is put in place. The server must be stopped. Changes after the backup
are lost. Rate limits restart at zero.
`

export function addCommands(program: Command): void {
  const ledger = addGroup(program, 'ledger', {
    summary: 'prove, show and compact the ledger',
    example: 'postrie ledger verify',
  })

  addCommand(ledger, 'verify', {
    summary: 'prove every balance from the first entry. Exit code 0: sound, 3: torn, 4: damaged',
    example: 'postrie ledger verify --json',
  }).action(async ({ json }: JsonFlag) => {
    const { verifyLedger } = await import('../../billing/ledger/tools/verify-ledger.ts')
    const report = await onLedger(verifyLedger)
    print(json, report, verdict)
    process.exitCode = VERIFY_EXIT[report.status]
  })

  addCommand(ledger, 'show', {
    summary: 'show entries, oldest first. --json prints one document per line, with the kinds of the table',
    example: 'postrie ledger show --from 2026-11-01 --json',
    help: SHOW_HELP,
  })
    .option('--account <account>', 'only this account: an id, an email address, or demo')
    .option('--key <key>', 'only this key: an id, or the start of a secret')
    .addOption(new Option('--kind <kind...>', 'only these kinds').choices(SHOWN_KINDS))
    .option('--from <time>', 'only entries at or after this time (UTC)', parseTime)
    .option('--to <time>', 'only entries before this time (UTC)', parseTime)
    .action(async ({ json, account, key, kind, from, to }: ShowFlags) => {
      if (from !== undefined && to !== undefined && from >= to)
        throw new UsageError('--from must be a time before --to')
      const { showLedger } = await import('../../billing/ledger/tools/show.ts')
      const filter = {
        account: account && accountName(account),
        key: key && withoutSecret(key),
        fromMs: from,
        toMs: to,
      }
      await onLedger(dir => showEntries(showLedger(dir, filter), kind, json))
    })

  addCommand(ledger, 'compact', {
    summary: 'write a snapshot and remove the segments it covers. The server must be stopped',
    example: 'postrie ledger compact',
  }).action(async ({ json }: JsonFlag) => {
    const { compactLedger } = await import('../../billing/ledger/tools/compact.ts')
    print(json, await onLedger(compactLedger), ({ removedSegments, removedBytes, keptSegments, notes }) =>
      [`removed ${removedSegments} segments (${removedBytes} bytes), kept ${keptSegments}`, ...notes].join(
        '\n  ',
      ),
    )
  })

  addCommand(program, 'backup <folder>', {
    summary: 'copy accounts, keys and money into a folder, consistently, and prove the copy',
    example: 'postrie backup /mnt/backups/2026-11-22',
    help: BACKUP_HELP,
  }).action(async (folder: string, { json }: JsonFlag) => {
    const { sequence } = await operate('ledger.flush', {})
    const { backupLedger } = await import('../../billing/ledger/tools/backup-ledger.ts')
    const report = await onLedger(dir => backupLedger(dir, resolve(folder), sequence))
    print(json, report, copy => `backed up to ${copy.folder}: ${describeBackup(copy)}`)
  })

  addCommand(program, 'restore <backup>', {
    summary: 'put the ledger of a backup into DATA_DIR. The server must be stopped',
    example: 'DATA_DIR=./data postrie restore /mnt/backups/2026-11-22',
    help: RESTORE_HELP,
  })
    .option('--replace', 'move an existing ledger aside, instead of refusing')
    .action(async (backup: string, { json, replace = false }: JsonFlag & { replace?: boolean }) => {
      const { restoreLedger } = await import('../../billing/ledger/tools/backup-ledger.ts')
      const report = await onLedger(dir => restoreLedger(resolve(backup), dir, replace), true)
      print(json, report, copy => {
        const aside = copy.replaced === null ? '' : `\nthe former ledger is now ${copy.replaced}`
        return `restored into ${copy.folder}: ${describeBackup(copy)}${aside}`
      })
    })
}

/** Runs a tool on the ledger in DATA_DIR, which must exist unless it may be created. @throws OperatorError */
async function onLedger<T>(tool: (dir: string) => Promise<T>, mayCreate = false): Promise<T> {
  const { dataDir } = readConfig(process.env)
  expectDataFolder(dataDir)
  try {
    if (!mayCreate) await expectLedger(dataDir)
    return await tool(dataDir)
  } catch (error) {
    throw asOperatorError(error)
  }
}

function verdict(report: VerifyReport): string {
  const { frames, segments, accounts, keys, creditedMicros, spentMicros, balanceMicros } = report
  return [
    bold(`the ledger is ${report.status}`),
    `  ${plural(frames, 'frame')} in ${plural(segments, 'segment')}, ${plural(accounts, 'account')}, ${plural(keys, 'key')}`,
    `  credited ${money(creditedMicros)} - spent ${money(spentMicros)} = balance ${money(balanceMicros)}`,
    ...[...report.problems, ...report.notes].map(sentence => `  ${sentence}`),
  ].join('\n')
}

function describeBackup({ sequence, accounts, keys, balanceMicros, bytes }: BackupReport): string {
  const balance = money(balanceMicros)
  const holders = `${plural(accounts, 'account')}, ${plural(keys, 'key')}`
  return `${holders}, balance ${balance}, ${plural(sequence, 'entry', 'entries')}, ${plural(bytes, 'byte')}`
}

/** Writes a JSON document per line, or tables of ROWS_PER_TABLE: a table needs its rows for its widths. */
async function showEntries(
  entries: AsyncIterable<LedgerEntry>,
  kinds?: readonly string[],
  json = false,
): Promise<void> {
  const rows: LedgerEntry[] = []
  let isFound = false
  for await (const entry of entries) {
    if (kinds?.includes(kindOf(entry)) === false) continue
    isFound = true
    if (json) await write(`${JSON.stringify({ ...entry, kind: kindOf(entry) })}\n`)
    else if (rows.push(entry) === ROWS_PER_TABLE) await write(entryTable(rows.splice(0)))
  }
  if (rows.length > 0) await write(entryTable(rows))
  if (!isFound) console.error('No entry matches.')
}

/** Returns the kind of an entry; of a credit or a debit, what it was for. */
const kindOf = ({ kind, details }: LedgerEntry) => String(details.credit ?? details.adjust ?? kind)

function entryTable(entries: readonly LedgerEntry[]): string {
  const rows = entries.map(e => [
    e.sequence,
    utcSecond(e.timeMs),
    kindOf(e),
    e.account ?? '-',
    e.key ?? '-',
    wholeMicros(e) === 0 ? '-' : money(wholeMicros(e)),
    detailsText(e),
  ])
  return `${table(['>SEQUENCE', 'TIME', 'KIND', 'ACCOUNT', 'KEY', '>AMOUNT', 'DETAILS'], rows)}\n`
}

/** Returns the amount of an entry, with the debt that it paid or left. */
function wholeMicros({ kind, micros, details }: LedgerEntry): number {
  return kind === 'credit' ? Number(details.micros) : kind === 'adjust' ? -Number(details.micros) : micros
}

/** Details that another column has, or that are for programs only. */
const HIDDEN = /^(slot|account|key|id|hash|credit|adjust|takenMicros|invitation)$/

const NAMES = new Map(Object.entries({ micros: 'amount', isOn: 'switched' }))

/** Returns `lookup 3`, or `reference stripe:pi_1, by stripe`. */
function detailsText({ kind, details: { queries = [], ...others } }: LedgerEntry): string {
  const used = Array.from(queries as number[], (sum, usage) => [USAGE_NAMES[usage], sum])
  const owedMicros = kind === 'adjust' ? Number(others.micros) - Number(others.takenMicros) : 0
  const owed = ['owed', owedMicros && money(owedMicros)]
  const named = Object.entries(others)
    // The amount of a cap moves no money, so it has no column.
    .filter(([name]) => !HIDDEN.test(name) && (name !== 'micros' || kind === 'cap'))
    .map(([name, value]) => [NAMES.get(name) ?? name.replace(/Micros$|Ms$/, ''), detailOf(name, value)])
  return valueText('', Object.fromEntries([...used, ...named, owed].filter(([, value]) => value))) || '-'
}

/** Returns a value as it is shown; `0` and `''` for nothing. */
function detailOf(name: string, value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (!value) return value === null ? unsetText(name) || 'none' : value
  if (name === 'endpoints') return (value as number[]).map(usage => USAGE_NAMES[usage])
  if (/micros$/i.test(name)) return money(Number(value))
  return name.endsWith('Ms') ? utcSecond(Number(value)) : value
}

async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

/** Returns the milliseconds since 1970 of a date or time in ISO 8601; a date alone is midnight in UTC. */
function parseTime(text: string): number {
  const ms = Date.parse(text)
  if (Number.isNaN(ms))
    throw new InvalidArgumentError('It must be a date such as 2026-11-21 or 2026-11-21T10:00Z.')
  return ms
}
