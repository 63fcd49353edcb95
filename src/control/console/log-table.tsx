/** Entries of the audit log as a table, and as a file. */
import type { Actor } from '../../accounts/actor.ts'
import type { AuditEntry } from '../audit/audit-entry.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import { Table, Time } from '../layout/parts.tsx'
import { money } from '../layout/words.ts'
import { csv } from '../shell/csv.ts'
import type { PageContext } from '../shell/dashboard.ts'

const WORDS: Record<AuditEntry['what'], string> = {
  account: 'Account opened',
  identity: 'Sign-in linked',
  key: 'Key created',
  rename: 'Key renamed',
  revoke: 'Key revoked',
  cap: 'Cap of a key',
  rules: 'Rules of a key',
  roll: 'Key rolled',
  overlap: 'Earlier secret ended',
  limits: 'Rate limits',
  profile: 'Low-balance warning',
  credit: 'Credit',
  adjust: 'Taken back',
  suspended: 'Suspended',
  resumed: 'Resumed',
  closed: 'Closed',
  invited: 'Invited',
  uninvited: 'Invitation withdrawn',
  member: 'Member',
  recharge: 'Automatic recharge',
  'sign-in': 'Signed in',
  'sign-out': 'Signed out',
  index: 'Index replaced',
  start: 'Service started',
  lost: 'Entries lost',
}

interface LogTableProps {
  entries: readonly AuditEntry[]
  /** Operators learn who else is one. */
  isOperator?: boolean
  /** Entries of several accounts: each has a link to its own. */
  ofAll?: boolean
}

export function LogTable({ entries, isOperator = false, ofAll = false }: LogTableProps) {
  if (entries.length === 0) return <p class="empty">Nothing has been recorded yet.</p>
  return (
    <Table caption="Log" heads={['Time', 'What', 'Detail', 'Who']}>
      {entries.map(entry => {
        const { name, from } = shown(entry.actor, isOperator)
        return (
          <tr>
            <td>
              <Time ms={entry.timeMs} />
            </td>
            <td>
              {WORDS[entry.what] ?? entry.what}
              {ofAll && entry.account !== null && (
                <a class="under" href={`/operator/accounts/${entry.account}`}>
                  {entry.account}
                </a>
              )}
            </td>
            <td class="detail">{detailOf(entry)}</td>
            <td>
              {name}
              {from !== '' && <span class="under">{from}</span>}
            </td>
          </tr>
        )
      })}
    </Table>
  )
}

/** Customers do not learn which operator it was, and from where. */
function shown(actor: Actor, isOperator: boolean): Actor {
  return actor.kind === 'operator' && !isOperator
    ? { kind: 'operator', name: 'the operator', from: '' }
    : actor
}

/** Fields that say themselves what they are, and words for those that do not. */
const PLAIN = ['reason', 'reference', 'note', 'email', 'label']
const NAMES: Readonly<Record<string, string>> = {
  start: 'beginning with',
  isNew: 'new account:',
  credit: 'kind',
  adjust: 'kind',
  buildId: 'build',
  codeCount: 'codes',
}

/** The details in words; those of a start are long, and on the page of the settings. */
function detailOf({ what, key, details }: AuditEntry): string {
  if (what === 'start') return ''
  const parts = Object.entries(details).flatMap(([name, value]) => {
    if (value === null || value === '' || value === 0) return []
    if (typeof value === 'object') return [`${name} ${JSON.stringify(value)}`]
    if (/micros$/i.test(name) && typeof value === 'number') return [money(value)]
    return [PLAIN.includes(name) ? String(value) : `${NAMES[name] ?? name} ${value}`]
  })
  return [...(key === null ? [] : [key]), ...parts].join(' · ')
}

const COLUMNS = ['time', 'what', 'account', 'key', 'details', 'kind', 'who', 'from']

/** The log of an account, or of all, as a file that is sent while it is read: it may have 64 MiB. */
export function logFile(
  c: PageContext,
  audit: AuditLog,
  account: string | null,
  isOperator = false,
): Response {
  const rows = (entries: readonly AuditEntry[]) =>
    entries.map(({ timeMs, what, account, key, details, actor }) => {
      const { kind, name, from } = shown(actor, isOperator)
      return [new Date(timeMs).toISOString(), what, account, key, JSON.stringify(details), kind, name, from]
    })
  const pieces = audit.export(account)
  const encoder = new TextEncoder()
  let isFirst = true
  const stream = new ReadableStream({
    async pull(controller) {
      const { value, done } = isFirst ? { value: [], done: false } : await pieces.next()
      if (done === true || value === undefined) return controller.close()
      const text = csv(COLUMNS, rows(value))
      const header = csv(COLUMNS, [])
      controller.enqueue(encoder.encode(isFirst ? header : text.slice(header.length)))
      isFirst = false
    },
    async cancel() {
      await pieces.return(undefined)
    },
  })
  const name = `postrie-log-${new Date().toISOString().slice(0, 10)}.csv`
  return c.body(stream, 200, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${name}"`,
  })
}
