/** `postrie account …`: open, list, credit, limit and state accounts. */
import { type Command, Option } from 'commander'
import { ACCOUNT_ORDERS, ACCOUNT_STATES } from '../accounts/views.ts'
import { statementCsv } from '../control/reports/statement-csv.ts'
import { type LimitFlags, limitOption, limitsText, withoutNone } from './limit-options.ts'
import { addMemberCommands } from './members.ts'
import { operate } from './operate.ts'
import { example, JSON_OPTION, type JsonFlag, wholeNumber } from './options.ts'
import { money, print, time } from './output.ts'
import { table } from './table.ts'

const STANDING_VERBS = [
  ['suspend', 'refuse its keys from the next request on, until it is resumed'],
  ['resume', 'let the keys of a suspended account work again'],
  ['close', 'refuse its keys for good and take what is left of the balance; refund that before'],
] as const

interface SearchFlags {
  state?: string
  order: string
  page: number
}

export function addAccountCommands(program: Command): void {
  const account = program
    .command('account')
    .description('open, list, credit and limit accounts')
    .addHelpText('after', example('postrie account credit ada@example.com 5.00 --reference invoice-17'))

  account
    .command('create <email>')
    .description('open an account with the free queries')
    .addOption(JSON_OPTION)
    .addHelpText('after', example('postrie account create ada@example.com --json'))
    .action(async (email: string, { json }: JsonFlag) => {
      const made = await operate('account.create', { email })
      print(
        json,
        made,
        ({ id, balance }) => `opened account ${id} for ${made.email}, balance ${money(balance)}`,
      )
    })

  account
    .command('list')
    .description('list all accounts, oldest first')
    .addOption(JSON_OPTION)
    .addHelpText('after', example('postrie account list'))
    .action(async ({ json }: JsonFlag) => {
      const accounts = await operate('account.list', {})
      print(json, accounts, rows =>
        table(
          ['ID', 'EMAIL', 'STATE', '>BALANCE', '>SPENT', '>KEYS', 'RATE LIMITS'],
          rows.map(a => [
            a.id,
            a.email,
            a.state,
            money(a.balance),
            money(a.spent),
            a.activeKeys,
            limitsText(a.rateLimits),
          ]),
        ),
      )
    })

  account
    .command('search [text]')
    .description('find accounts by part of the email, by id, or by a key or its beginning')
    .addOption(new Option('--state <state>', 'only these').choices(ACCOUNT_STATES))
    .addOption(new Option('--order <order>', 'which come first').choices(ACCOUNT_ORDERS).default('newest'))
    .addOption(new Option('--page <n>', 'of 50 accounts').argParser(wholeNumber).default(1))
    .addOption(JSON_OPTION)
    .addHelpText('after', example('postrie account search @example.com --order spent'))
    .action(async (wanted = '', { json, ...search }: JsonFlag & SearchFlags) => {
      print(json, await operate('account.search', { wanted, ...search }), found =>
        [
          table(
            ['ID', 'EMAIL', 'STATE', '>BALANCE', '>SPENT', '>QUERIES', 'LAST SEEN'],
            found.accounts.map(a => [
              a.id,
              a.email,
              a.state,
              money(a.balance),
              money(a.spent),
              a.queries,
              time(a.lastSeenAt),
            ]),
          ),
          `page ${found.page} of ${found.pages}, ${found.matches} ${found.matches === 1 ? 'account' : 'accounts'}`,
        ].join('\n'),
      )
    })

  for (const [verb, does] of STANDING_VERBS) {
    account
      .command(`${verb} <account>`)
      .description(does)
      .requiredOption('--reason <text>', "why; the account's owner reads it")
      .addOption(JSON_OPTION)
      .addHelpText('after', example(`postrie account ${verb} ada@example.com --reason "asked for by phone"`))
      .action(async (name: string, { json, reason }: JsonFlag & { reason: string }) => {
        const result = await operate(`account.${verb}`, { account: name, reason })
        print(json, result, ({ email, state, balance }) => `${email} is ${state}, balance ${money(balance)}`)
      })
  }

  account
    .command('credit <account> <usd>')
    .description('add to a balance; the same reference is credited only once')
    .requiredOption('--reference <text>', 'what the credit is for: a receipt, an invoice')
    .addOption(JSON_OPTION)
    .addHelpText('after', example('postrie account credit ada@example.com 5.00 --reference invoice-17'))
    .action(async (name: string, usd: string, { json, reference }: JsonFlag & { reference: string }) => {
      const result = await operate('account.credit', { account: name, usd, reference })
      print(json, result, ({ applied, credited, email, balance }) =>
        applied
          ? `credited ${money(credited)} to ${email}, balance ${money(balance)}`
          : `'${reference}' had been credited before, nothing was added; balance ${money(balance)}`,
      )
    })

  account
    .command('limits <account>')
    .description('show or set rate limits; windows that are not named keep theirs')
    .addOption(limitOption('--per-minute <n>', 'queries per minute'))
    .addOption(limitOption('--per-hour <n>', 'queries per hour'))
    .addOption(limitOption('--per-day <n>', 'queries per day'))
    .option('--off', 'switch rate limiting off')
    .addOption(JSON_OPTION)
    .addHelpText('after', example('postrie account limits ada@example.com --per-minute 600 --per-day none'))
    .action(async (name: string, { json, ...limits }: JsonFlag & LimitFlags) => {
      const result = await operate('account.limits', { account: name, ...withoutNone(limits) })
      print(json, result, ({ email, rateLimits }) => `${email}: ${limitsText(rateLimits)}`)
    })

  account
    .command('threshold <account> [usd]')
    .description('warn on the dashboard, and through the webhook, below this balance')
    .option('--off', 'never warn')
    .addOption(JSON_OPTION)
    .addHelpText('after', example('postrie account threshold ada@example.com 2.00'))
    .action(async (name: string, usd: string | undefined, { json, off }: JsonFlag & { off?: true }) => {
      const result = await operate('account.threshold', { account: name, usd, off })
      print(json, result, ({ email, threshold }) =>
        threshold === null ? `${email} is not warned` : `${email} is warned below ${money(threshold)}`,
      )
    })

  addMemberCommands(account)

  account
    .command('statement <account>')
    .description('every credit and every day of usage; the amounts add up to the balance')
    .option('--csv', 'as comma-separated values')
    .addOption(JSON_OPTION)
    .addHelpText('after', example('postrie account statement ada@example.com --csv > statement.csv'))
    .action(async (name: string, { json, csv }: JsonFlag & { csv?: true }) => {
      const lines = await operate('account.statement', { account: name })
      if (csv === true) process.stdout.write(statementCsv(lines))
      else
        print(json, lines, rows =>
          table(
            ['TIME', 'KIND', '>AMOUNT', '>BALANCE', '>QUERIES', 'KEY OR REFERENCE'],
            rows.map(r => [
              r.time,
              r.kind,
              money(r.amount),
              money(r.balance),
              r.queries,
              r.key ?? r.reference,
            ]),
          ),
        )
    })
}
