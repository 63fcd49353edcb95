/** `postrie key rules` and `postrie key roll`: what a key may be used for, and a new secret for it. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ListedKey } from '../control/operator/operations/key.ts'
import { type LimitFlags, limitOption, limitsText, withoutNone } from './limit-options.ts'
import { operate } from './operate.ts'
import { example, JSON_OPTION, type JsonFlag, timeMs } from './options.ts'
import { bold, print, time } from './output.ts'

interface RuleFlags extends LimitFlags {
  expires?: string
  endpoints?: string[] | 'none'
  addresses?: string[] | 'none'
}

interface RollFlags {
  overlap?: number
  endOverlap?: true
}

export function addKeyRuleCommands(key: Command): void {
  key
    .command('rules <key>')
    .description('show or set what a key may be used for; rules that are not named stay as they are')
    .addOption(new Option('--expires <time>', "refuse it from then on, or 'none'").argParser(expiryOrNone))
    .addOption(limitOption('--per-minute <n>', 'queries per minute, besides the limits of the account'))
    .addOption(limitOption('--per-hour <n>', 'queries per hour'))
    .addOption(limitOption('--per-day <n>', 'queries per day'))
    .addOption(listOption('--endpoints <names>', 'only for these, such as lookup,validate'))
    .addOption(listOption('--addresses <networks>', 'only from these, such as 203.0.113.0/24,2001:db8::/32'))
    .option('--off', 'lift all rules')
    .addOption(JSON_OPTION)
    .addHelpText(
      'after',
      example('postrie key rules key_2c61 --expires 2027-01-31 --addresses 203.0.113.0/24'),
    )
    .action(async (id: string, { json, ...rules }: JsonFlag & RuleFlags) => {
      print(json, await operate('key.rules', { key: id, ...withoutNone(rules) }), rulesText)
    })

  key
    .command('roll <key>')
    .description('give a key a new secret; the present one works on until the end of the overlap')
    .addOption(
      new Option('--overlap <time>', 'such as 0, 30m, 24h or 7d; 24h when absent').argParser(seconds),
    )
    .option('--end-overlap', 'make no new secret, and refuse the one before the present one at once')
    .addOption(JSON_OPTION)
    .addHelpText('after', example('postrie key roll key_2c61 --overlap 7d'))
    .action(async (id: string, { json, overlap, endOverlap }: JsonFlag & RollFlags) => {
      if (endOverlap === true) {
        print(
          json,
          await operate('key.endOverlap', { key: id }),
          () => `only the present secret of key ${id} works`,
        )
        return
      }
      print(
        json,
        await operate('key.roll', { key: id, overlapSeconds: overlap }),
        ({ key: secret, earlier }) =>
          `${bold(secret)}\nnew secret of key ${id}; copy it now, it is not shown again. ` +
          (earlier === null
            ? 'The one before it is refused.'
            : `The one before it works until ${time(earlier.until)} UTC.`),
      )
    })
}

function rulesText({ id, expiresAt, rateLimits, endpoints, addresses }: ListedKey): string {
  return [
    `key ${id}`,
    `  expires     ${expiresAt === null ? 'never' : `${time(expiresAt)} UTC`}`,
    `  rate limits ${limitsText(rateLimits)}`,
    `  endpoints   ${endpoints?.join(', ') ?? 'all'}`,
    `  addresses   ${addresses?.join(', ') ?? 'all'}`,
  ].join('\n')
}

function listOption(flags: string, description: string): Option {
  return new Option(flags, `${description}; 'none' lifts the rule`).argParser(text =>
    text === 'none' ? text : text.split(',').map(item => item.trim()),
  )
}

/** As the operation takes it: with its zone. A date alone is midnight in UTC. */
function expiryOrNone(text: string): string {
  return text === 'none' ? text : new Date(timeMs(text)).toISOString()
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

function seconds(text: string): number {
  const [, digits, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  if (text === '0') return 0
  if (digits === undefined) throw new InvalidArgumentError('It must be a time such as 0, 30m, 24h or 7d.')
  return Number(digits) * UNIT_SECONDS[unit]
}
