/** The requests and errors of one account, as the server threads have noted them since the start. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { AccountActivity, DataPlane, ErrorHour } from '../../data-plane.ts'
import { CODES_KEPT_MS_MAX, QUERY_PRICE_MICROS } from '../../limits.ts'

const DAY_MS = 86_400_000

/** One request, for a row of a table or of a CSV file. */
export interface RequestRow {
  timeMs: number
  endpoint: string
  /** Two letters; '' where the request has no country. */
  country: string
  status: number
  durationMicros: number
  keyId: string
  chargeMicros: number
  /** Null unless the account had the codes that it asks for kept at that time. */
  code: string | null
}

/** The newest requests with a valid key, at most 1,000, the newest first. @throws ACCOUNT_NOT_FOUND */
export function requestRows(accounts: Accounts, dataPlane: DataPlane, account: string): RequestRow[] {
  const slot = accounts.slotOf(account)
  const requests = dataPlane.activity?.requests(slot) ?? []
  const own = new Set(accounts.listKeys(account).map(({ id }) => id))
  const slots = [...new Set(requests.map(({ key }) => key))]
  const ids = new Map(slots.map(key => [key, accounts.viewOf({ slot: key }).id]))
  return requests.flatMap(({ key, queries, ...request }) => {
    const keyId = ids.get(key) ?? ''
    // The log belongs to the account. Should that ever be wrong, nobody sees what another one has asked.
    if (!own.has(keyId)) return []
    return { ...request, keyId, chargeMicros: queries * QUERY_PRICE_MICROS }
  })
}

/**
 * Errors by UTC hour or day, oldest first, without gaps: the last 48 hours, or the three days that these touch. 401 are requests
 * with keys that are revoked or mistyped, but begin like one of the account. @throws ACCOUNT_NOT_FOUND
 */
export function errorRows(
  accounts: Accounts,
  dataPlane: DataPlane,
  account: string,
  by: 'hour' | 'day',
  nowMs: number,
): ErrorHour[] {
  const slot = accounts.slotOf(account)
  const starts = accounts
    .listKeys(account)
    .flatMap(({ start, earlier }) => (earlier === null ? [start] : [start, earlier.start]))
  const hours = dataPlane.activity?.errors(slot, starts, nowMs) ?? []
  if (by === 'hour') return hours
  const days = new Map<number, ErrorHour>()
  for (const hour of hours) {
    const startMs = Math.floor(hour.startMs / DAY_MS) * DAY_MS
    const day = days.get(startMs)
    days.set(startMs, day === undefined ? { ...hour, startMs } : { ...added(day, hour), startMs })
  }
  return [...days.values()]
}

function added(one: ErrorHour, other: ErrorHour): Omit<ErrorHour, 'startMs'> {
  return {
    401: one[401] + other[401],
    402: one[402] + other[402],
    403: one[403] + other[403],
    404: one[404] + other[404],
    429: one[429] + other[429],
    503: one[503] + other[503],
  }
}

/**
 * The switch of an account: has its log keep the codes that it asks for, for so long, a day at most; 0: no longer. It goes off by
 * itself, also when the service restarts. @throws ACCOUNT_NOT_FOUND
 */
export function keepCodes(
  accounts: Accounts,
  dataPlane: DataPlane,
  account: string,
  forMs: number,
  nowMs: number,
): void {
  const untilMs = forMs <= 0 ? 0 : nowMs + Math.min(forMs, CODES_KEPT_MS_MAX)
  dataPlane.activity?.keepCodes(accounts.slotOf(account), untilMs)
}

/** Until when the codes are kept; null: they are not. @throws ACCOUNT_NOT_FOUND */
export function codesKeptUntil(
  accounts: Accounts,
  { activity }: { activity?: AccountActivity },
  account: string,
  nowMs: number,
): number | null {
  const untilMs = activity?.codesKeptUntilMs(accounts.slotOf(account)) ?? 0
  return untilMs > nowMs ? untilMs : null
}
