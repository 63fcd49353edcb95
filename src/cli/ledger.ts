import { once } from 'node:events'
import type { Command } from 'commander'
import { asOperatorError } from '../control/operator/operator-error.ts'
import { expectLedger } from '../ledger/presence.ts'
import type { LedgerEntry, ShowFilter } from '../ledger/tools/show.ts'
import type { VerifyReport } from '../ledger/tools/verify-ledger.ts'
import { table } from '../platform/table.ts'
import { bold } from '../platform/terminal.ts'
import { readConfig } from '../settings/config.ts'
import { expectDataFolder } from './data-folder.ts'
import { EXIT } from './exit.ts'
import { example, JSON_OPTION, type JsonFlag, timeMs } from './options.ts'
import { counted, money, print } from './words.ts'

const ROWS_PER_TABLE = 500
const VERIFY_EXIT = { sound: EXIT.ok, torn: EXIT.torn, damaged: EXIT.damaged } as const

export function addLedgerCommands(program: Command): void {
  const ledger = program
    .command('ledger')
    .description('prove, show and compact the ledger')
    .addHelpText('after', example('postrie ledger verify'))

  ledger
    .command('verify')
    .description('prove every balance from the first entry; exit code 0 sound, 3 torn, 4 damaged')
    .addOption(JSON_OPTION)
    .addHelpText('after', example('postrie ledger verify --json'))
    .action(async ({ json }: JsonFlag) => {
      const { verifyLedger } = await import('../ledger/tools/verify-ledger.ts')
      const report = await onLedger(verifyLedger)
      print(json, report, verdict)
      process.exitCode = VERIFY_EXIT[report.status]
    })

  ledger
    .command('show')
    .description('show entries, oldest first; with --json one JSON document per line')
    .option('--account <id>', 'only this account')
    .option('--key <id>', 'only this key')
    .option('--from <time>', 'only entries at or after this time (UTC)', timeMs)
    .option('--to <time>', 'only entries before this time (UTC)', timeMs)
    .addOption(JSON_OPTION)
    .addHelpText('after', example('postrie ledger show --from 2026-11-01 --json'))
    .action(async (options: JsonFlag & { account?: string; key?: string; from?: number; to?: number }) => {
      const filter: ShowFilter = {
        account: options.account,
        key: options.key,
        fromMs: options.from,
        toMs: options.to,
      }
      const { showLedger } = await import('../ledger/tools/show.ts')
      await onLedger(dir => showEntries(showLedger(dir, filter), options.json === true))
    })

  ledger
    .command('compact')
    .description('write a snapshot and remove the segments it covers; the server must be stopped')
    .addOption(JSON_OPTION)
    .addHelpText('after', example('postrie ledger compact'))
    .action(async ({ json }: JsonFlag) => {
      const { compactLedger } = await import('../ledger/tools/compact.ts')
      print(
        json,
        await onLedger(compactLedger),
        report =>
          `removed ${report.removedSegments} segments (${report.removedBytes} bytes), kept ${report.keptSegments}`,
      )
    })
}

/**
 * Runs a tool on the ledger of the configured folder, which must have one unless the tool `mayCreate` it.
 * @throws OperatorError for what the ledger reports.
 */
export async function onLedger<T>(
  tool: (dir: string) => Promise<T>,
  { mayCreate = false }: { mayCreate?: boolean } = {},
): Promise<T> {
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
  const dollars = (micros: number) => money(micros / 1_000_000)
  return [
    bold(`the ledger is ${report.status}`),
    `  ${counted(frames, 'frame')} in ${counted(segments, 'segment')}, ${counted(accounts, 'account')}, ${counted(keys, 'key')}`,
    `  credited ${dollars(creditedMicros)} - spent ${dollars(spentMicros)} = balance ${dollars(balanceMicros)}`,
    ...[...report.problems, ...report.notes].map(sentence => `  ${sentence}`),
  ].join('\n')
}

/** One JSON document per line, or tables of some hundred rows, since a table must know its widths. */
async function showEntries(entries: AsyncIterable<LedgerEntry>, json: boolean): Promise<void> {
  let rows: LedgerEntry[] = []
  for await (const entry of entries) {
    if (json) await write(`${JSON.stringify(entry)}\n`)
    else if (rows.push(entry) === ROWS_PER_TABLE) {
      await write(entryTable(rows))
      rows = []
    }
  }
  if (rows.length > 0) await write(entryTable(rows))
}

function entryTable(entries: readonly LedgerEntry[]): string {
  const rows = entries.map(e => [
    e.sequence,
    new Date(e.timeMs).toISOString(),
    e.kind,
    e.account ?? '-',
    e.key ?? '-',
    e.micros === 0 ? '-' : money(e.micros / 1_000_000),
    JSON.stringify(e.details),
  ])
  return `${table(['>SEQUENCE', 'TIME', 'KIND', 'ACCOUNT', 'KEY', '>AMOUNT', 'DETAILS'], rows)}\n`
}

async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}
