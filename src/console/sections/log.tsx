/** The audit log as a list and as a file, for operators and for owners of accounts. */
import type { Accounts } from '../../billing/accounts/accounts.ts'
import type { Change } from '../../billing/accounts/audited-changes.ts'
import type { StatementRow } from '../../billing/accounts/reports/statement.ts'
import { NO_RULES } from '../../billing/accounts/views.ts'
import type { EventOf } from '../../billing/ledger/event.ts'
import { DAY_MS } from '../../platform/time.ts'
import { USAGE_NAMES } from '../../service/endpoints/table.ts'
import { ALERT_KINDS, isAlertKind } from '../alerts/alert-kinds.ts'
import { type AuditEntry, type AuditLog, shownActor } from '../audit/audit-log.ts'
import { DATES, datesAsked, List, readQuery } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { breaking, type Column, Named, Time } from '../layout/parts.tsx'
import { csvFile, type FileColumns, named } from '../reports/csv.ts'
import { entryText, referenceText } from '../reports/statement.ts'
import { type Dashboard, type PageApp, type PageContext, pageContext } from '../session/page-context.ts'
import { PROVED_EMAIL } from '../session/proved-email.ts'
import { count, iso, limitTexts, money, namesOf, plural, quotedName, ruleTexts, utcMinute } from '../words.ts'

/** Details of entries that are no events of the ledger, if they are not only texts. */
interface OwnDetails {
  member: { email: string; role: string; before?: { role: string } }
  codes: { untilMs: number }
  'sign-in': { provider: string; isNew: boolean }
  'sign-out': { everywhere?: true }
  index: { buildId: string; codeCount: number }
  lost: { entries?: number; beyond?: number }
}

type Texts = Readonly<Record<string, string>>
type What = AuditEntry['what']
type LedgerDetails<K> = K extends Change['what'] ? EventOf<K> : Texts
type Details<K extends What> = K extends keyof OwnDetails ? OwnDetails[K] : LedgerDetails<K>

/** What sentences show besides the details. `value` is the new value, as text by `VALUES`, `by` the actor. */
type Shown = { value: string; by: string; isOperator: boolean }

const CREDITS = {
  free: ' as free queries',
  payment: ' for a payment',
  reinstated: ' for an undone refund or dispute',
  test: ' for a test payment',
  operator: '',
}

/** Texts of changed values, for the new value and the one before. */
const VALUES: { readonly [K in What]?: (d: Details<K>) => string } = {
  rename: d => d.label || 'unnamed',
  cap: d => amount(d.micros),
  rules: d => ruleTexts({ ...NO_RULES, ...d, endpoints: endpointNames(d) ?? null }),
  limits: d => limitTexts(d.limits),
  profile: d => amount(d.lowBalanceMicros),
  note: d => d.note || 'none',
  member: d => d.role,
  buyer: d => [d.company, d.tax, d.address].filter(Boolean).join(', ') || 'none',
  alerts: ({ email, webhook, host }) =>
    `by email: ${alertTexts(email)}; by webhook${host && ` at ${host}`}: ${alertTexts(webhook)}`.toLowerCase(),
}

/** Names and sentences of kinds of entries. The list has the account and the key below. */
const ENTRIES: {
  readonly [K in What]: readonly [name: string, sentence: (d: Details<K>, shown: Shown) => string]
} = {
  account: ['Account opened', () => 'Opened the account'],
  identity: [
    'Sign-in linked',
    d => (d.issuer === PROVED_EMAIL ? 'Confirmed the email address' : 'Linked a sign-in'),
  ],
  key: ['Key created', () => 'Created a key'],
  rename: ['Key renamed', (_, { value }) => `Renamed a key to ${value}`],
  revoke: ['Key revoked', () => 'Revoked a key'],
  switch: ['Key switched', d => `Switched a key ${d.isOn ? 'on' : 'off'}`],
  cap: ['Cap of a key', (_, { value }) => `Set the monthly cap of a key to ${value}`],
  rules: ['Rules of a key', (_, { value }) => `Set the rules of a key: ${value}`],
  roll: [
    'Key rolled',
    ({ untilMs }) =>
      `Rolled a key, the old secret ${untilMs ? `ends ${utcMinute(untilMs)}` : 'is refused at once'}`,
  ],
  overlap: ['Earlier secret ended', () => 'Ended the earlier secret of a key'],
  limits: ['Rate limits', (_, { value }) => `Set the rate limits to ${value}`],
  profile: ['Low-balance warning', (_, { value }) => `Set the low-balance warning to ${value}`],
  note: ['Note', (_, { value }) => `Set the note to ${value}`],
  credit: ['Credit', (d, shown) => `Credited ${money(d.micros)}${CREDITS[d.credit]}${detailText(d, shown)}`],
  adjust: [
    'Taken back',
    (d, shown) => `Took back ${money(d.micros)} for a ${d.adjust}${detailText(d, shown)}`,
  ],
  suspended: ['Suspended', d => `Suspended the account: ${d.reason}`],
  resumed: ['Resumed', d => `Resumed the account: ${d.reason}`],
  closed: ['Closed', d => `Closed the account and took ${money(d.takenMicros)}: ${d.reason}`],
  invited: ['Invited', d => `Invited ${d.email} as ${d.role}`],
  uninvited: ['Invitation withdrawn', () => 'Withdrew an invitation'],
  member: [
    'Member',
    (d, { by, value }) =>
      by === d.email && d.before?.role === 'none'
        ? `Accepted the invitation as ${value}`
        : `Set the role of ${d.email} to ${value}`,
  ],
  recharge: ['Automatic recharge', rechargeText],
  buyer: ['Details on receipts', (_, { value }) => `Set the details on receipts: ${value}`],
  alerts: ['Alerts', (d, { value }) => `Set the alerts, ${value}${d.changed && ` (${d.changed})`}`],
  codes: [
    'Codes of requests',
    d => `Turned the log of codes ${d.untilMs ? `on until ${utcMinute(d.untilMs)}` : 'off'}`,
  ],
  unapplied: ['Stripe', d => `Could not apply a message of Stripe: ${d.message}`],
  viewed: ['Viewed as customer', () => 'Viewed the pages as an owner'],
  'sign-in': ['Signed in', d => `Signed in with ${d.provider}${d.isNew ? ' for the first time' : ''}`],
  'sign-out': ['Signed out', d => `Signed out${d.everywhere ? ' everywhere' : ''}`],
  index: ['Index replaced', d => `Replaced the index by ${d.buildId}, with ${plural(d.codeCount, 'code')}`],
  start: ['Service started', () => 'Started the service'],
  lost: [
    'Entries lost',
    d => `Left out ${d.entries ?? 'further'} entries${d.beyond ? `, over ${count(d.beyond)} an hour` : ''}`,
  ],
}

export const NO_CHANGES = ['sign-in', 'sign-out', 'start', 'lost', 'viewed']
const OPERATORS_ONLY = ['note', 'unapplied']

const namesFor = (isOperator: boolean) =>
  Object.entries(ENTRIES).flatMap(([what, [name]]) =>
    !isOperator && OPERATORS_ONLY.includes(what) ? [] : [[what, name]],
  )

/** Entries of an account, or of all for null, as the reader may see them, with `text` in their sentences. */
type Wanted = { accounts: Accounts; account: string | null; isOperator: boolean; text: string }

const filtersFor = ({ accounts, account, isOperator }: Wanted) => ({
  what: {
    label: 'What',
    options: {
      changes: 'Changes',
      all: 'Everything',
      ...Object.fromEntries(namesFor(isOperator)),
    },
  },
  who: { label: 'Done by', placeholder: 'an email' },
  key: {
    ...(!isOperator && { label: 'Key' }),
    options: {
      '': 'All',
      ...Object.fromEntries(namesOf(account === null ? [] : accounts.listKeys(account))),
    },
  },
  ...datesAsked(),
})

/** Returns the filter of the query; undefined for all entries. */
function filterOf(wanted: Wanted) {
  const { accounts, isOperator, text } = wanted
  const { what, who, key, from, to } = readQuery(filtersFor(wanted))
  if (isOperator && what === 'all' && who + key + from + to + text === '') return undefined
  const [fromMs, endMs] = [Date.parse(from), Date.parse(to) + DAY_MS]
  return (entry: AuditEntry) => {
    const { what: kind, actor, timeMs } = entry
    const { kind: side, name } = shownActor(actor, isOperator)
    return (
      (isOperator || !OPERATORS_ONLY.includes(kind)) &&
      (what === 'all' || what === kind || (what === 'changes' && !NO_CHANGES.includes(kind))) &&
      (key === '' || entry.key === key) &&
      `${side} ${name}`.toLowerCase().includes(who.toLowerCase()) &&
      // Without a date, nothing is before or after it.
      !(timeMs < fromMs || timeMs >= endMs) &&
      (text === '' || textOf(accounts, entry).toLowerCase().includes(text.toLowerCase()))
    )
  }
}

/** Returns the sentence of an entry, with its account, its key, and the beginnings of the key's secrets. */
function textOf(accounts: Accounts, entry: AuditEntry): string {
  const { label = '', starts = [] } = accounts.key(entry.key ?? '') ?? {}
  const email = emailOf(accounts, entry.account)
  return [sentenceOf(entry, true), email, label, entry.key, ...starts].join(' ')
}

type ReadWanted = (c: PageContext) => Promise<Wanted>

/** Adds the page and the file of a log. @param readWanted returns what a query asks for */
export function addLog(app: PageApp, { audit }: Dashboard, path: string, readWanted: ReadWanted): void {
  app.get(path, async c => logPage(c, audit, await readWanted(c)))
  app.get(`${path}.csv`, async c => {
    const wanted = await readWanted(c)
    return csvFile(c, 'log', fileOf(wanted), audit.export(wanted.account, filterOf(wanted)))
  })
}

async function logPage(c: PageContext, audit: AuditLog, wanted: Wanted) {
  const { accounts, account, isOperator } = wanted
  const [title, kept] = isOperator ? ['Audit log', ' The newest 64 MiB are kept.'] : ['Log', '']
  const ofKey = accounts.key(readQuery(filtersFor(wanted)).key)
  const name = account === null ? 'All accounts' : emailOf(accounts, account)
  return c.html(
    <Page title={title} lead={`Every change, with its time, person and address.${kept}`}>
      <List
        class="log"
        title={isOperator ? name + (ofKey ? `, key ${quotedName(ofKey)}` : '') : undefined}
        caption="Log"
        columns={logColumns(accounts, isOperator, account === null)}
        found={await audit.page(account, readQuery(DATES).page, filterOf(wanted))}
        noun={['entry', 'entries']}
        search={isOperator ? 'account, reference' : undefined}
        isKeySearch={isOperator}
        filters={filtersFor(wanted)}
        file={`${c.req.path}.csv`}
      />
    </Page>,
  )
}

function emailOf(accounts: Accounts, account: string | null): string {
  return accounts.account(account ?? '')?.email ?? account ?? ''
}

/** Returns the sentence of an entry, or its name if its details were left out. */
function sentenceOf({ what, details, actor }: AuditEntry, isOperator: boolean): string {
  const [name, sentence] = ENTRIES[what] ?? [what]
  if (sentence === undefined || details.left_out === true) return name
  // The compiler cannot see that a sentence gets the details of its own kind.
  return sentence(details as never, { value: valueText(what, details), by: actor.name, isOperator })
}

/** Returns the value in details; `''` if this kind of entry has none. */
const valueText = (what: What, details: unknown) => VALUES[what]?.(details as never) ?? ''

/** @param isOfAll true to name the account of each entry */
export function logColumns(accounts: Accounts, isOperator: boolean, isOfAll = false): Column<AuditEntry>[] {
  const below = ({ what, account, key, details }: AuditEntry) => {
    const page = `/operator/accounts/${account}`
    const view = accounts.key(key ?? '')
    const before = details.before != null && valueText(what, details.before)
    const parts = [
      isOfAll && account !== null && ['of ', <a href={page}>{breaking(emailOf(accounts, account))}</a>],
      view && <a href={`${isOperator ? page : ''}/keys/${key}`}>{breaking(quotedName(view))}</a>,
      before && before !== valueText(what, details) && `before: ${before}`,
    ].filter(Boolean)
    return parts.length > 0 && parts.map((part, at) => [at > 0 && ' · ', part])
  }
  return [
    { head: 'Time', cell: ({ timeMs }) => <Time ms={timeMs} seconds /> },
    { head: 'What', kind: 'detail', cell: entry => breaking(sentenceOf(entry, isOperator)), below },
    {
      head: 'Who',
      cell: ({ actor }) => {
        const { name, from } = shownActor(actor, isOperator)
        const isYou = !isOperator && name === pageContext().var.person.email
        return <Named name={isYou ? 'you' : name} under={from} />
      },
    },
  ]
}

const amount = (micros: number | null): string => (micros === null ? 'none' : money(micros))

type Entry = Pick<StatementRow, 'micros' | 'reference' | 'note'> & {
  payment?: string
  debtPaidMicros?: number
  takenMicros?: number
}

function detailText({ micros, payment, ...entry }: Entry, { isOperator }: Shown): string {
  const { debtPaidMicros = 0, takenMicros = micros } = entry
  const said = entryText({ ...entry, debtChangeMicros: micros - takenMicros - debtPaidMicros }, isOperator)
  const texts = [said, isOperator && payment && `of ${referenceText(payment, true)}`].filter(Boolean)
  return texts.length > 0 ? ` (${texts.join(' · ')})` : ''
}

function alertTexts(kinds: string): string {
  return kinds.replace(/[\w-]+\.[\w-]+/g, kind => (isAlertKind(kind) ? ALERT_KINDS[kind].text : kind))
}

function rechargeText({ saved, removed, turned, payment, reason, ...d }: Texts): string {
  if (saved ?? removed) return `${saved ? 'Saved' : 'Removed'} the card ${saved ?? removed}`
  const terms = d.amount ? `: ${d.amount} below ${d.threshold}, at most ${d.month} a month` : ''
  const failed = payment ? ` after a payment of ${payment} failed: ${reason}` : ''
  return `Turned automatic recharge ${turned}${terms}${failed}`
}

/** Returns the names of the allowed endpoints, which entries have by number. */
function endpointNames({ endpoints }: Partial<EventOf<'rules'>>): string[] | null | undefined {
  return endpoints == null ? endpoints : endpoints.map(usage => USAGE_NAMES[usage])
}

function fileOf({ accounts, isOperator }: Wanted): FileColumns<AuditEntry> {
  return {
    time: ({ timeMs }) => iso(timeMs),
    ...named('what', 'account'),
    ...(isOperator && { email: ({ account }) => emailOf(accounts, account) }),
    key: ({ key }) => key,
    details: ({ details }) => JSON.stringify({ ...details, endpoints: endpointNames(details as never) }),
    kind: ({ actor }) => shownActor(actor, isOperator).kind,
    who: ({ actor }) => shownActor(actor, isOperator).name,
    from: ({ actor }) => shownActor(actor, isOperator).from,
  }
}
