/** `postrie key …`: create, list, rename, revoke, cap, restrict and roll API keys. */
import type { Command } from 'commander'
import type { ListedKey } from '../control/operator/operations/key.ts'
import { addKeyRuleCommands } from './key-rules.ts'
import { operate } from './operate.ts'
import { example, JSON_OPTION, type JsonFlag } from './options.ts'
import { bold, money, print, time } from './output.ts'
import { table } from './table.ts'

export function addKeyCommands(program: Command): void {
  const key = program
    .command('key')
    .description('create, list and revoke API keys')
    .addHelpText('after', example('postrie key create ada@example.com --label production'))

  key
    .command('create <account>')
    .description('create a key; it is shown this once')
    .option('--label <text>', 'what the key is for')
    .addOption(JSON_OPTION)
    .addHelpText('after', example('postrie key create ada@example.com --label production --json'))
    .action(async (account: string, { json, label }: JsonFlag & { label?: string }) => {
      const made = await operate('key.create', { account, label })
      print(
        json,
        made,
        ({ id, key: secret }) => `${bold(secret)}\nkey ${id}; copy it now, it is not shown again`,
      )
    })

  key
    .command('list <account>')
    .description('list the keys of an account, revoked ones too')
    .addOption(JSON_OPTION)
    .addHelpText('after', example('postrie key list ada@example.com'))
    .action(async (account: string, { json }: JsonFlag) => {
      print(json, await operate('key.list', { account }), keyTable)
    })

  key
    .command('rename <key> <label>')
    .description('give a key another label')
    .addOption(JSON_OPTION)
    .addHelpText('after', example('postrie key rename key_2c61 "billing service"'))
    .action(async (id: string, label: string, { json }: JsonFlag) => {
      print(
        json,
        await operate('key.rename', { key: id, label }),
        made => `key ${made.id} is now '${made.label}'`,
      )
    })

  key
    .command('revoke <key>')
    .description('revoke a key; the next request with it is refused')
    .addOption(JSON_OPTION)
    .addHelpText('after', example('postrie key revoke key_2c61'))
    .action(async (id: string, { json }: JsonFlag) => {
      print(
        json,
        await operate('key.revoke', { key: id }),
        made => `key ${made.id} (${made.start}…) is revoked`,
      )
    })

  key
    .command('cap <key> [usd]')
    .description('cap what a key may spend in a calendar month (UTC)')
    .option('--off', 'lift the cap')
    .addOption(JSON_OPTION)
    .addHelpText('after', example('postrie key cap key_2c61 2.50'))
    .action(async (id: string, usd: string | undefined, { json, off }: JsonFlag & { off?: true }) => {
      print(json, await operate('key.cap', { key: id, usd, off }), ({ cap }) =>
        cap === null ? `key ${id} has no cap` : `key ${id} may spend ${money(cap)} a month`,
      )
    })

  addKeyRuleCommands(key)
}

function keyTable(keys: readonly ListedKey[]): string {
  return table(
    ['ID', 'STARTS WITH', 'LABEL', 'STATE', 'CREATED', 'LAST USED', '>QUERIES', '>SPENT', '>CAP'],
    keys.map(k => [
      k.id,
      k.start,
      k.label,
      k.state,
      time(k.createdAt),
      time(k.lastUsedAt),
      k.queries,
      money(k.spent),
      k.cap === null ? '-' : money(k.cap),
    ]),
  )
}
