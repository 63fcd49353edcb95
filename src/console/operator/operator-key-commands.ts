/** Commands on API keys. Only `key.create` and `key.roll` show a secret. */

import * as z from 'zod'
import type { KeyView } from '../../billing/accounts/views.ts'
import { KEY_ADDRESSES_MAX, KEY_OVERLAP_MS_MAX, LABEL_LENGTH_MAX } from '../../billing/limits.ts'
import { dollars, QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { parseNetwork } from '../../platform/networks.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../platform/time.ts'
import { ENDPOINT_LIST } from '../../service/endpoints/table.ts'
import { type Sighting, sightingsOf } from '../reports/activity.ts'
import { iso, keyState, utcMinute } from '../words.ts'
import { command, findAccount, findKey, isNamed, mergeLimits, noteOfState } from './command.ts'
import { RATE_LIMITS, refusedNote, refusedRows } from './operator-account-commands.ts'
import { OperatorError } from './operator-error.ts'
import { list, moment, optionalDollars, optionalText, type ParamSyntax, text, typed } from './params.ts'

/** Default time that a replaced secret goes on working. */
const OVERLAP_HOURS_DEFAULT = 24
const OVERLAP_PROBLEM = `must be a time from 0 to ${KEY_OVERLAP_MS_MAX / DAY_MS}d, such as 30m, 24h or 7d`
const COPY_NOW = 'Copy the key now: it is not shown again.'

const ACCOUNT = text()
const KEY = text({ description: 'an id, or the start of a secret as lists show it, such as pk_live_0NQB' })
export const LABEL = optionalText({
  placeholder: '<text>',
  description: 'name of the key',
  label: 'Label',
  empty: 'production',
  lengthMax: LABEL_LENGTH_MAX,
  refusals: ['INVALID_LABEL', 'TOO_MANY_KEYS'],
})
export const CAP = optionalDollars('cap', 'INVALID_CAP')
const EXPIRES = moment({
  placeholder: '<time>',
  description: 'refuse the key from this time on',
  label: 'Expires (UTC)',
  hint: 'Leave it empty for no expiry.',
  problem: 'Give a time in UTC such as 2027-01-31 12:00, or leave it empty.',
  refusals: ['INVALID_EXPIRY'],
})
const ENDPOINTS = list({
  placeholder: '<names>',
  description: 'allow only these, such as lookup,validate',
  label: 'Allowed endpoints',
  options: Object.fromEntries(
    ENDPOINT_LIST.filter(({ usageClass }) => usageClass !== null).map(({ name, alias }) => [
      name,
      alias ? `${name}, ${alias}` : name,
    ]),
  ),
  hint: 'Choose none to allow all. Free endpoints are always allowed.',
  refusals: ['INVALID_ENDPOINTS'],
})
const ADDRESSES = list(
  {
    placeholder: '<networks>',
    description: 'allow only these, such as 203.0.113.0/24,2001:db8::/32',
    label: 'Allowed addresses',
    empty: '203.0.113.0/24\n2001:db8::/32',
    hint: `One address or network per line, at most ${KEY_ADDRESSES_MAX}. Leave it empty to allow all.`,
    refusals: ['INVALID_ADDRESSES'],
  },
  'an address or a network such as 203.0.113.0/24',
  text => parseNetwork(text) !== null,
)

export const RULES = { expiresMs: EXPIRES, ...RATE_LIMITS, addresses: ADDRESSES, endpoints: ENDPOINTS }
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Describes the time that a replaced secret goes on working, in seconds. */
export const OVERLAP = typed(
  text => {
    const [match, digits = '0', unit = 's'] = /^(?:(\d{1,9})([smhd])|0)$/.exec(text) ?? []
    return match === undefined ? text : Number(digits) * UNIT_SECONDS[unit]
  },
  z
    .int(OVERLAP_PROBLEM)
    .min(0, OVERLAP_PROBLEM)
    .max(KEY_OVERLAP_MS_MAX / SECOND_MS, OVERLAP_PROBLEM)
    .optional(),
).meta({
  placeholder: '<time>',
  description: `such as 30m or 7d, or 0 for a leaked key (default: ${OVERLAP_HOURS_DEFAULT}h)`,
  label: 'How long the present secret still works',
  options: {
    0: 'Refuse it at once',
    '1h': '1 hour',
    '24h': '1 day',
    '7d': '7 days',
    '30d': '30 days',
  },
  usual: `${OVERLAP_HOURS_DEFAULT}h`,
  hint: 'If it has leaked, choose “Refuse it at once”.',
  refusals: ['INVALID_OVERLAP'],
} satisfies ParamSyntax)

const switchCommand = <const To extends 'off' | 'on'>(to: To, summary: string) =>
  command({
    name: `key.${to}` as const,
    summary,
    example: `postrie key ${to} pk_live_0NQB`,
    params: { key: KEY },
    async run(accounts, { key: name }) {
      const { id, offMs } = findKey(accounts, name)
      const applied = (offMs === null) === (to === 'off')
      return { ...keyRow(await accounts.switchKey(id, to === 'on')), applied }
    },
    note: ({ applied }) => noteOfState({ applied, state: to }),
  })

export const KEY_COMMANDS = [
  command({
    name: 'key.create',
    summary: 'create a key, which is shown only once',
    example: 'postrie key create ada@example.com --label production --json',
    params: { account: ACCOUNT, label: LABEL },
    note: () => COPY_NOW,
    async run(accounts, { account: name, label }) {
      const created = await accounts.createKey(findAccount(accounts, name).id, { label })
      return { id: created.id, key: created.secret }
    },
  }),
  command({
    name: 'key.list',
    summary: 'list the keys of an account, revoked ones too',
    example: 'postrie key list ada@example.com',
    params: { account: ACCOUNT },
    columns: ['id', 'start', 'label', 'state', 'createdAt', 'lastUsedAt', 'queries', 'spent', 'cap'],
    run: (accounts, { account: name }) => accounts.listKeys(findAccount(accounts, name).id).map(keyRow),
  }),
  command({
    name: 'key.show',
    summary: 'show the state, spending, cap, rules, replaced secrets and errors of a key, and who uses it',
    example: 'postrie key show pk_live_0NQB',
    params: { key: KEY },
    run(accounts, { key: name }, service) {
      const view = findKey(accounts, name, true)
      const refused = refusedRows(findAccount(accounts, view.account), [view], service)
      return { ...keyRow(view), ...refused, seenFrom: service && sightingsOf(service, view).map(sightingRow) }
    },
    note: shown =>
      `${refusedNote(shown)} ${shown.seenFrom?.length ? 'Of a burst, only some requests are seen.' : ''}`.trim(),
  }),
  command({
    name: 'key.rename',
    summary: 'give a key another label',
    example: 'postrie key rename pk_live_0NQB "billing service"',
    params: { key: KEY, label: text({}, 0) },
    run: async (accounts, { key: name, label }) =>
      keyRow(await accounts.renameKey(findKey(accounts, name).id, label)),
  }),
  command({
    name: 'key.revoke',
    summary: 'revoke a key. The next request with it is refused',
    example: 'postrie key revoke pk_live_0NQB',
    params: { key: KEY },
    async run(accounts, { key: name }) {
      const { id, revokedMs } = findKey(accounts, name)
      return { ...keyRow(await accounts.revokeKey(id)), applied: revokedMs === null }
    },
    note: noteOfState,
  }),
  switchCommand('off', 'refuse a key from the next request on, until it is switched on'),
  switchCommand('on', 'answer the requests of a key again'),
  command({
    name: 'key.cap',
    summary: 'show or cap the spending of a key in a calendar month (UTC)',
    example: 'postrie key cap pk_live_0NQB 2.50',
    params: { key: KEY, usd: CAP },
    async run(accounts, { key: name, usd }) {
      const view = findKey(accounts, name)
      if (usd === undefined) return keyRow(view)
      return { ...keyRow(await accounts.setKeyCap(view.id, usd)), applied: usd !== view.capMicros }
    },
    note: result => ('applied' in result ? noteOfState({ ...result, state: 'the cap' }) : ''),
  }),
  command({
    name: 'key.rules',
    summary: 'show or set the rules of a key. Other rules stay',
    example: 'postrie key rules pk_live_0NQB --expires 2027-01-31 --addresses 203.0.113.0/24',
    params: { key: KEY, expires: EXPIRES, ...RATE_LIMITS, endpoints: ENDPOINTS, addresses: ADDRESSES },
    async run(accounts, { key: name, ...wanted }) {
      const view = findKey(accounts, name)
      if (!isNamed(wanted)) return keyRow(view)
      const { rules: present } = view
      const {
        expires: expiresMs = present.expiresMs,
        endpoints = present.endpoints,
        addresses = present.addresses,
        ...windows
      } = wanted
      const next = { expiresMs, limits: mergeLimits(present.limits, windows), endpoints, addresses }
      return keyRow(await accounts.setKeyRules(view.id, next))
    },
  }),
  command({
    name: 'key.roll',
    summary: 'give a key a new secret. The present one works until the end of the overlap',
    example: 'postrie key roll pk_live_0NQB --overlap 7d',
    params: {
      key: KEY,
      overlap: OVERLAP,
      endOverlap: z
        .boolean('must be true or false')
        .optional()
        .meta({ placeholder: '', description: 'create no new secret, and refuse the earlier one at once' }),
    },
    async run(accounts, { key: name, overlap, endOverlap = false }) {
      const { id, label, email, previous } = findKey(accounts, name)
      if (endOverlap && overlap !== undefined)
        throw new OperatorError('invalid', '--overlap and --end-overlap exclude each other: give only one')
      if (endOverlap) return { ...keyRow(await accounts.endKeyOverlap(id)), applied: previous !== null }
      const overlapMs = overlap === undefined ? OVERLAP_HOURS_DEFAULT * HOUR_MS : overlap * SECOND_MS
      const rolled = await accounts.rollKey(id, overlapMs)
      const ended = rolled.previous === null ? undefined : previous?.start
      return { id, label, email, key: rolled.secret, earlier: previousOf(rolled), ended }
    },
    note(rolled) {
      if (!('key' in rolled)) return rolled.applied ? '' : 'No earlier secret works: nothing was changed.'
      const { id, earlier: previous, ended } = rolled
      if (previous === null) return `${COPY_NOW} The earlier one is refused.`
      const refused = ended ? ` ${ended}… is refused now.` : ''
      const until = utcMinute(Date.parse(previous.until))
      return `${COPY_NOW}${refused}\n${previous.start}… works until ${until} UTC. To refuse it now: postrie key roll ${id} --end-overlap`
    },
  }),
] as const

function previousOf({ previous }: Pick<KeyView, 'previous'>) {
  return previous && { start: previous.start, until: iso(previous.untilMs) }
}

function sightingRow({ network, start, requests, refused, queries, firstMs, lastMs }: Sighting) {
  return {
    address: network || 'all others',
    start,
    seen: requests,
    errors: refused,
    spent: dollars(queries * QUERY_PRICE_MICROS),
    firstAt: iso(firstMs),
    lastAt: iso(lastMs),
  }
}

function keyRow(view: KeyView) {
  return {
    id: view.id,
    account: view.account,
    email: view.email,
    start: view.start,
    label: view.label,
    state: keyState(view),
    createdAt: iso(view.createdMs),
    lastUsedAt: iso(view.lastUsedMs),
    revokedAt: iso(view.revokedMs),
    switchedOffAt: iso(view.offMs),
    queries: Object.values(view.queries).reduce((sum, queries) => sum + queries, 0),
    spent: dollars(view.spentMicros),
    monthSpent: dollars(view.monthSpentMicros),
    cap: view.capMicros === null ? null : dollars(view.capMicros),
    expiresAt: iso(view.rules.expiresMs),
    rateLimits: view.rules.limits,
    endpoints: view.rules.endpoints,
    addresses: view.rules.addresses,
    earlier: previousOf(view),
    replaced: view.starts.slice(1),
  }
}
