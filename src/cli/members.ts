/** `postrie account members …`: who may act for an account. */
import { type Command, Option } from 'commander'
import { ROLES } from '../accounts/views.ts'
import type { ResultOf } from '../control/operator/operations.ts'
import { operate } from './operate.ts'
import { example, JSON_OPTION, type JsonFlag } from './options.ts'
import { print, time } from './output.ts'
import { table } from './table.ts'

export function addMemberCommands(account: Command): void {
  const members = account
    .command('members')
    .description('list, add and remove those who may act for an account')
    .addHelpText(
      'after',
      example('postrie account members add shop@example.com ada@example.com --role billing'),
    )

  members
    .command('list <account>')
    .description('members and pending invitations')
    .addOption(JSON_OPTION)
    .addHelpText('after', example('postrie account members list shop@example.com --json'))
    .action(async (name: string, { json }: JsonFlag) =>
      print(json, await operate('member.list', { account: name }), text),
    )

  members
    .command('add <account> <email>')
    .description('make somebody who has signed in once a member, or give a member another role')
    .addOption(new Option('--role <role>', 'what they may do').choices(ROLES).default('developer'))
    .addOption(JSON_OPTION)
    .addHelpText(
      'after',
      example('postrie account members add shop@example.com ada@example.com --role owner'),
    )
    .action(async (name: string, member: string, { json, role }: JsonFlag & { role: string }) =>
      print(json, await operate('member.add', { account: name, member, role }), text),
    )

  members
    .command('remove <account> <email>')
    .description('end a membership, from the next request on; the last owner stays')
    .addOption(JSON_OPTION)
    .addHelpText('after', example('postrie account members remove shop@example.com ada@example.com'))
    .action(async (name: string, member: string, { json }: JsonFlag) =>
      print(json, await operate('member.remove', { account: name, member }), text),
    )
}

function text({ members, invitations }: ResultOf<'member.list'>): string {
  return table(
    ['EMAIL', 'ROLE', 'ID', 'INVITED UNTIL'],
    [
      ...members.map(({ email, role, person }) => [email, role, person, '']),
      ...invitations.map(({ email, role, id, endsAt }) => [email, role, id, time(endsAt)]),
    ],
  )
}
