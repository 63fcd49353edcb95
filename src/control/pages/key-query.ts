/** Which keys the list shows: what was searched for, in which state, in which order, on which page. */
import type { KeyView } from '../../accounts/views.ts'
import { isCapped } from '../layout/concerns.ts'
import { member } from '../layout/member.ts'
import { total } from '../reports/usage.ts'

export const KEY_STATES = {
  all: 'All',
  active: 'Active',
  capped: 'Cap used up',
  unused: 'Not used in 30 days',
  expired: 'Expired',
  revoked: 'Revoked',
} as const
export const KEY_ORDERS = {
  created: 'Newest first',
  used: 'Last used first',
  today: 'Most queries today',
  queries: 'Most queries',
  label: 'Alphabetical',
} as const

const KEYS_PER_PAGE = 50
const WANTED_LENGTH_MAX = 64
const UNUSED_MS = 30 * 86_400_000

export interface KeyQuery {
  /** A part of the label, the id, the key or its beginning; `''` for all. */
  wanted: string
  state: keyof typeof KEY_STATES
  order: keyof typeof KEY_ORDERS
  /** From 1. */
  page: number
}

export interface KeysFound {
  /** Of the page that is shown. */
  keys: KeyView[]
  matches: number
  page: number
  pages: number
}

/** What an address asks for. Whatever it does not understand is as if it were not there. */
export function keyQuery(params: URLSearchParams): KeyQuery {
  const page = Number(params.get('page'))
  return {
    wanted: (params.get('q') ?? '').trim().slice(0, WANTED_LENGTH_MAX),
    state: member(KEY_STATES, params.get('state')) ?? 'all',
    order: member(KEY_ORDERS, params.get('order')) ?? 'created',
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
  }
}

/** The address of a list; what is as usual is left out. */
export function keyListPath({ wanted, state, order, page }: KeyQuery): string {
  const params = new URLSearchParams()
  if (wanted !== '') params.set('q', wanted)
  if (state !== 'all') params.set('state', state)
  if (order !== 'created') params.set('order', order)
  if (page > 1) params.set('page', String(page))
  return params.size === 0 ? '/keys' : `/keys?${params}`
}

/**
 * @param keys in the order of their creation
 * @param today queries of today by key id
 */
export function findKeys(
  keys: readonly KeyView[],
  { wanted, state, order, page }: KeyQuery,
  today: ReadonlyMap<string, number>,
): KeysFound {
  const text = wanted.toLowerCase()
  const nowMs = Date.now()
  const matching = keys.filter(
    key =>
      isIn(state, key, nowMs) &&
      (key.label.toLowerCase().includes(text) ||
        key.id === wanted ||
        startsOf(key).some(start => isOf(start, wanted))),
  )
  const sorted = matching.toReversed()
  switch (order) {
    case 'created':
      break
    case 'used':
      sorted.sort((a, b) => (b.lastUsedMs ?? 0) - (a.lastUsedMs ?? 0))
      break
    case 'today':
      sorted.sort((a, b) => (today.get(b.id) ?? 0) - (today.get(a.id) ?? 0))
      break
    case 'queries':
      sorted.sort((a, b) => total(b.queries) - total(a.queries))
      break
    case 'label':
      sorted.sort((a, b) => a.label.localeCompare(b.label, 'en'))
      break
    default:
      order satisfies never
  }
  const pages = Math.max(1, Math.ceil(sorted.length / KEYS_PER_PAGE))
  const shown = Math.min(page, pages)
  return {
    keys: sorted.slice((shown - 1) * KEYS_PER_PAGE, shown * KEYS_PER_PAGE),
    matches: sorted.length,
    page: shown,
    pages,
  }
}

/** The beginnings of the secrets that work. */
function startsOf({ start, earlier }: KeyView): string[] {
  return earlier === null ? [start] : [start, earlier.start]
}

/** Whether a secret that begins with `start` may be meant by a whole one, or by a part of its beginning. */
function isOf(start: string, wanted: string): boolean {
  return wanted.startsWith(start) || start.includes(wanted)
}

function isIn(state: KeyQuery['state'], key: KeyView, nowMs: number): boolean {
  switch (state) {
    case 'all':
      return true
    case 'active':
      return key.revokedMs === null && !key.isExpired
    case 'capped':
      return isCapped(key)
    case 'unused':
      return key.revokedMs === null && nowMs - (key.lastUsedMs ?? key.createdMs) > UNUSED_MS
    case 'expired':
      return key.revokedMs === null && key.isExpired
    case 'revoked':
      return key.revokedMs !== null
    default:
      return state satisfies never
  }
}
