/** The audit log as a list and as a file, for operators and for the owners of an account. */
import type { Actor } from '../../accounts/actor.ts'
import type { KeyView } from '../../accounts/views.ts'
import { USAGE_NAMES } from '../../endpoints/table.ts'
import type { AuditEntry } from '../audit/audit-log.ts'
import type { Dashboard, PageApp, PageContext } from '../dashboard.ts'
import { asked, List } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { type Column, Time } from '../layout/parts.tsx'
import { csvFile, type FileColumns } from '../reports/csv.ts'
import { referenceText } from '../reports/statement.ts'
import { PROVED_EMAIL } from '../session/access.ts'
import { count, keyName, money, utcMinute } from '../words.ts'

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

const PLAIN = ['reason', 'reference', 'note', 'email', 'label']
const NAMES: Readonly<Record<string, string>> = {
  start: 'beginning with',
  isNew: 'new account',
  credit: 'kind',
  adjust: 'kind',
  buildId: 'build',
  codeCount: 'codes',
}
const HIDDEN = ['issuer', 'subject', 'person']
/** Changes whose details are all null when they lift what was set. */
const LIFTED: readonly string[] = ['cap', 'rules', 'limits', 'profile'] satisfies AuditEntry['what'][]

export function addAccountLog(app: PageApp, { audit }: Dashboard): void {
  app.get('/account/log', async c =>
    c.html(
      <Page c={c} title="Log" lead="Every change of this account: who, when, and from where.">
        <List
          c={c}
          class="log"
          title="Changes"
          caption="Log"
          columns={logColumns({ isOperator: false, keys: c.var.keys() })}
          found={await audit.page(c.var.account.id, asked(c, {}).page)}
          noun={['entry', 'entries']}
          file="/account/log.csv"
          empty="Nothing has been recorded yet."
        />
      </Page>,
    ),
  )

  app.get('/account/log.csv', c => csvFile(c, 'log', fileOf(false), audit.export(c.var.account.id)))
}

export function addOperatorLog(app: PageApp, { audit, accounts }: Dashboard): void {
  const wantedOf = (c: PageContext) => {
    const { wanted } = asked(c, {})
    if (wanted === '') return null
    const exact = accounts.account(wanted)
    if (exact !== undefined) return exact.id
    const { accounts: found } = accounts.search({ wanted, state: 'all', order: 'newest', page: 1 })
    return found.length === 1 ? found[0].id : wanted
  }
  const emailOf = (id: string) => accounts.account(id)?.email ?? id

  app.get('/operator/log', async c => {
    const account = wantedOf(c)
    return c.html(
      <Page
        c={c}
        title="Audit log"
        lead="Every change: who, when, and from where. The newest 64 MiB are kept."
      >
        <List
          c={c}
          class="log"
          title={account === null ? 'All accounts' : emailOf(account)}
          caption="Log"
          columns={logColumns({ isOperator: true, emailOf: account === null ? emailOf : undefined })}
          found={await audit.page(account, asked(c, {}).page)}
          noun={['entry', 'entries']}
          search="email or id of an account"
          file="/operator/log.csv"
          empty="No entry, or not one account: search by its id, or by a part of an email address that it alone has."
        />
      </Page>,
    )
  })

  app.get('/operator/log.csv', c => csvFile(c, 'log', fileOf(true), audit.export(wantedOf(c))))
}

interface ColumnParts {
  isOperator: boolean
  emailOf?: (account: string) => string
  keys?: readonly KeyView[]
}

export function logColumns({ isOperator, emailOf, keys = [] }: ColumnParts): Column<AuditEntry>[] {
  const names = new Map(keys.map(key => [key.id, keyName(key)]))
  return [
    { head: 'Time', cell: ({ timeMs }) => <Time ms={timeMs} seconds /> },
    {
      head: 'What',
      cell: ({ what, account, details }) => (
        <>
          {details.issuer === PROVED_EMAIL ? 'Address proved' : (WORDS[what] ?? what)}
          {emailOf !== undefined && account !== null && (
            <a class="under" href={`/operator/accounts/${account}`}>
              {emailOf(account)}
            </a>
          )}
        </>
      ),
    },
    { head: 'Detail', kind: 'detail', cell: entry => detailOf(entry, names) },
    {
      head: 'Who',
      cell: ({ actor }) => {
        const { name, from } = shown(actor, isOperator)
        return (
          <>
            {name}
            {from !== '' && <span class="under">{from}</span>}
          </>
        )
      },
    },
  ]
}

function shown(actor: Actor, isOperator: boolean): Actor {
  return actor.kind === 'operator' && !isOperator
    ? { kind: 'operator', name: 'the operator', from: '' }
    : actor
}

/** Returns the details in words. Details of a start are on the page of the settings. */
function detailOf({ what, key, details }: AuditEntry, names: ReadonlyMap<string, string>): string {
  if (what === 'start') return ''
  const parts = Object.entries(details).flatMap(([name, value]) => {
    if (value === null || value === '' || value === 0 || value === false || HIDDEN.includes(name)) return []
    if (name === 'reference') return referenceText(String(value))
    if (name === 'limits') return limitTexts(value as Record<string, number | null>)
    if (name === 'endpoints') return (value as number[]).map(usage => USAGE_NAMES[usage] ?? '')
    if (typeof value === 'object') return [`${name} ${Object.values(value).join(', ')}`]
    if (/Ms$/.test(name) && typeof value === 'number') return [`${name.slice(0, -2)} ${utcMinute(value)}`]
    if (/micros$/i.test(name) && typeof value === 'number') return [money(value)]
    if (PLAIN.includes(name)) return [String(value)]
    return [`${NAMES[name] ?? name}${value === true ? '' : ` ${value}`}`]
  })
  if (parts.length === 0 && LIFTED.includes(what)) parts.push('off')
  const all = new Set([key === null ? '' : (names.get(key) ?? key), ...parts])
  return [...all].filter(part => part !== '').join(' · ')
}

function limitTexts(limits: Readonly<Record<string, number | null>>): string[] {
  return Object.entries(limits).flatMap(([window, limit]) =>
    limit === null ? [] : `${count(limit)} a ${window.replace('per', '').toLowerCase()}`,
  )
}

function fileOf(isOperator: boolean): FileColumns<AuditEntry> {
  return {
    time: ({ timeMs }) => new Date(timeMs).toISOString(),
    what: ({ what }) => what,
    account: ({ account }) => account,
    key: ({ key }) => key,
    details: ({ details }) => JSON.stringify(details),
    kind: ({ actor }) => shown(actor, isOperator).kind,
    who: ({ actor }) => shown(actor, isOperator).name,
    from: ({ actor }) => shown(actor, isOperator).from,
  }
}
