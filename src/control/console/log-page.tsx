/** The audit log as a list and as a file, for operators and for the owners of an account. */
import type { Child } from 'hono/jsx'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Actor } from '../../accounts/actor.ts'
import { USAGE_NAMES } from '../../endpoints/table.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { AuditEntry } from '../audit/audit-log.ts'
import type { Dashboard, PageApp, PageContext } from '../dashboard.ts'
import { asked, List } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { type Column, Time } from '../layout/parts.tsx'
import { csvFile, type FileColumns } from '../reports/csv.ts'
import { referenceText } from '../reports/statement.ts'
import { PROVED_EMAIL } from '../session/access.ts'
import { count, keyName, money, plural, utcMinute } from '../words.ts'

// biome-ignore lint/suspicious/noExplicitAny: each kind of entry has details of its own.
type Details = Readonly<Record<string, any>>

/** What was done, the word before the account, and the rest: `Credited $5.00`, `to`, `, reference invoice-17`. */
type Sentence = readonly [done: string, before?: string, rest?: string]

const CREDITS: Details = { free: ' as free queries', payment: ' for a payment', test: ' for a test payment' }

/** Kinds of entries: the name of each, and its sentence. */
const KINDS: Record<
  AuditEntry['what'],
  readonly [name: string, sentence: (details: Details, key: string) => Sentence]
> = {
  account: ['Account opened', () => ['Opened the account']],
  identity: [
    'Sign-in linked',
    ({ issuer }) =>
      issuer === PROVED_EMAIL ? ['Proved the email address', 'of'] : ['Linked a sign-in', 'to'],
  ],
  key: ['Key created', (_, key) => [`Created the key ${key}`, 'for']],
  rename: ['Key renamed', ({ label }) => [`Renamed a key to ${label}`, 'of']],
  revoke: ['Key revoked', (_, key) => [`Revoked the key ${key}`, 'of']],
  cap: [
    'Cap of a key',
    ({ micros }, key) =>
      micros === null
        ? [`Lifted the cap of the key ${key}`, 'of']
        : [`Capped the key ${key}`, 'of', ` at ${money(micros)} a month`],
  ],
  rules: [
    'Rules of a key',
    (details, key) => {
      const rules = ruleTexts(details)
      return rules === ''
        ? [`Lifted the rules of the key ${key}`, 'of']
        : [`Restricted the key ${key}`, 'of', `: ${rules}`]
    },
  ],
  roll: [
    'Key rolled',
    ({ untilMs }, key) => [
      `Rolled the key ${key}`,
      'of',
      `; its earlier secret works until ${utcMinute(untilMs)}`,
    ],
  ],
  overlap: ['Earlier secret ended', (_, key) => [`Ended the earlier secret of the key ${key}`, 'of']],
  limits: [
    'Rate limits',
    ({ limits }) =>
      limits === null
        ? ['Switched rate limits off', 'for']
        : ['Limited requests', 'of', ` to ${limitTexts(limits).join(', ')}`],
  ],
  profile: [
    'Low-balance warning',
    ({ lowBalanceMicros }) =>
      lowBalanceMicros === null
        ? ['Switched the low-balance warning off', 'for']
        : ['Set the low-balance warning', 'of', ` to ${money(lowBalanceMicros)}`],
  ],
  credit: [
    'Credit',
    ({ micros, credit, debtPaidMicros, ...entry }) => [
      `Credited ${money(micros)}`,
      'to',
      `${CREDITS[credit] ?? ''}${entryText(entry)}${debtPaidMicros > 0 ? `; ${money(debtPaidMicros)} of it paid a debt` : ''}`,
    ],
  ],
  adjust: [
    'Taken back',
    ({ micros, takenMicros, adjust, ...entry }) => [
      `Took back ${money(micros)}`,
      'from',
      ` for a ${adjust}${entryText(entry)}${micros > takenMicros ? `; ${money(micros - takenMicros)} of it are owed` : ''}`,
    ],
  ],
  suspended: ['Suspended', ({ reason }) => ['Suspended the account', '', `: ${reason}`]],
  resumed: ['Resumed', ({ reason }) => ['Resumed the account', '', `: ${reason}`]],
  closed: [
    'Closed',
    ({ reason, takenMicros }) => [
      'Closed the account',
      '',
      ` for good and took ${money(takenMicros)}: ${reason}`,
    ],
  ],
  invited: ['Invited', ({ email, role }) => [`Invited ${email}`, 'to', ` as ${role}`]],
  uninvited: ['Invitation withdrawn', () => ['Withdrew an invitation', 'to']],
  member: [
    'Member',
    ({ email, role }) =>
      role === 'removed' ? [`Removed ${email}`, 'from'] : [`Made ${email} a member`, 'of', ` as ${role}`],
  ],
  recharge: [
    'Automatic recharge',
    ({ turned, removed, threshold, amount, month, reason }) =>
      removed === undefined
        ? [
            `Turned automatic recharge ${turned}`,
            'for',
            turned === 'on'
              ? `: ${amount} below ${threshold}, at most ${month} a month`
              : reason && `: ${reason}`,
          ]
        : [`Removed the card ${removed}`, 'of'],
  ],
  alerts: ['Alerts', ({ email, webhook }) => ['Chose alerts', 'for', alertText({ email, webhook })]],
  codes: [
    'Codes of requests',
    ({ untilMs }) =>
      untilMs === 0
        ? ['Stopped keeping requested codes', 'of']
        : ['Began to keep requested codes', 'of', `, until ${utcMinute(untilMs)}`],
  ],
  'sign-in': [
    'Signed in',
    ({ provider, isNew }) => ['Signed in', 'to', ` with ${provider}${isNew ? ' for the first time' : ''}`],
  ],
  'sign-out': ['Signed out', ({ everywhere }) => [`Signed out${everywhere ? ' everywhere' : ''}`, 'of']],
  index: [
    'Index replaced',
    ({ buildId, codeCount }) => [`Replaced the index by ${buildId}, with ${plural(codeCount, 'code')}`],
  ],
  start: ['Service started', () => ['Started the service']],
  lost: [
    'Entries lost',
    ({ entries, beyond }) =>
      beyond === undefined
        ? [`Lost ${plural(entries, 'entry', 'entries')}, which could not be written`]
        : ['Left out further entries', 'of', `: more than ${count(beyond)} in an hour`],
  ],
}

const FILTERS = {
  what: {
    label: 'What',
    options: {
      '': 'Everything',
      ...Object.fromEntries(Object.entries(KINDS).map(([what, [name]]) => [what, name])),
    },
  },
  who: { label: 'Who', placeholder: 'email, operator, stripe' },
  from: { label: 'From', type: 'date' },
  to: { label: 'To', type: 'date' },
} as const

/** Returns a check of what a page was asked for; undefined: everything. Customers cannot ask for what they are not shown. */
function isWantedOf(c: PageContext, isOperator: boolean): ((entry: AuditEntry) => boolean) | undefined {
  const { what, who, from, to } = asked(c, FILTERS)
  if (what + who + from + to === '') return undefined
  const [fromMs, endMs] = [Date.parse(from), Date.parse(to) + DAY_MS]
  return ({ what: kind, actor, timeMs }) => {
    const { kind: side, name } = shown(actor, isOperator)
    return (
      (what === '' || kind === what) &&
      `${side} ${name}`.toLowerCase().includes(who.toLowerCase()) &&
      // Without a date, nothing is before or after it.
      !(timeMs < fromMs || timeMs >= endMs)
    )
  }
}

export function addAccountLog(app: PageApp, { audit, accounts }: Dashboard): void {
  app.get('/account/log', async c =>
    c.html(
      <Page c={c} title="Log" lead="Every change of this account: who, when, and from where.">
        <List
          c={c}
          class="log"
          title="Changes"
          caption="Log"
          columns={logColumns({ isOperator: false, accounts })}
          found={await audit.page(c.var.account.id, asked(c, FILTERS).page, isWantedOf(c, false))}
          noun={['entry', 'entries']}
          filters={FILTERS}
          file="/account/log.csv"
          empty="Nothing like that has been recorded."
        />
      </Page>,
    ),
  )

  app.get('/account/log.csv', c =>
    csvFile(c, 'log', fileOf(false), audit.export(c.var.account.id, isWantedOf(c, false))),
  )
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
          title={account === null ? 'All accounts' : (accounts.account(account)?.email ?? account)}
          caption="Log"
          columns={logColumns({ isOperator: true, accounts, isOfAll: account === null })}
          found={await audit.page(account, asked(c, FILTERS).page, isWantedOf(c, true))}
          noun={['entry', 'entries']}
          search="email or id"
          filters={FILTERS}
          file="/operator/log.csv"
          empty="No entry, or not one account: search by its id, or by a part of an email address that it alone has."
        />
      </Page>,
    )
  })

  app.get('/operator/log.csv', c =>
    csvFile(c, 'log', fileOf(true), audit.export(wantedOf(c), isWantedOf(c, true))),
  )
}

interface ColumnParts {
  isOperator: boolean
  accounts: Accounts
  isOfAll?: boolean
}

export function logColumns({ isOperator, accounts, isOfAll = false }: ColumnParts): Column<AuditEntry>[] {
  const accountOf = ({ account }: AuditEntry): Child =>
    isOfAll &&
    account !== null && (
      <a href={`/operator/accounts/${account}`}>{accounts.account(account)?.email ?? account}</a>
    )
  const sentenceOf = ({ what, key, details }: AuditEntry): Sentence => {
    const [name, sentence] = KINDS[what] ?? [what]
    if (sentence === undefined || details.left_out === true) return [name, ',']
    const view = key === null ? undefined : accounts.key(key)
    const id = String(details.reference ?? '')
    const reference = referenceText(isOperator ? id.replace(/^stripe:/, '') : id)
    return sentence({ ...details, reference }, view === undefined ? (key ?? '') : keyName(view))
  }
  return [
    { head: 'Time', cell: ({ timeMs }) => <Time ms={timeMs} seconds /> },
    {
      head: 'What',
      kind: 'detail',
      cell: entry => {
        const [done, before = '', rest = ''] = sentenceOf(entry)
        const account = accountOf(entry)
        return (
          <>
            {done}
            {account && [' ', before, ' ', account]}
            {rest}
          </>
        )
      },
    },
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

function entryText({ reference, note }: Details): string {
  return `${reference ? `, reference ${reference}` : ''}${note ? `, note ${note}` : ''}`
}

function alertText(channels: Readonly<Record<string, string[]>>): string {
  const texts = Object.entries(channels).map(
    ([channel, kinds]) => `by ${channel} ${kinds.join(', ') || 'none'}`,
  )
  return `: ${texts.join('; ')}`
}

function ruleTexts({ expiresMs, limits, endpoints, addresses }: Details): string {
  const allowed = endpoints?.map((usage: number) => USAGE_NAMES[usage])
  return [
    expiresMs && `until ${utcMinute(expiresMs)}`,
    ...limitTexts(limits ?? {}),
    allowed && `only ${allowed.join(', ')}`,
    addresses && `only from ${addresses.join(', ')}`,
  ]
    .filter(Boolean)
    .join('; ')
}

export function limitTexts(limits: Readonly<Record<string, number | null>>): string[] {
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
