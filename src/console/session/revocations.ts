/**
 * Sessions that were ended early. A session is only a sealed cookie, so a sign-out must be remembered until the session would
 * have expired. The file has the format of store/FORMAT.md, with one row per account, and the row `""` for all accounts:
 *
 *     ["acct_…",{"beforeMs":…,"sessions":{"<session>":…},"endMs":…}]
 *
 * The sessions in `sessions`, and all sessions that started by `beforeMs`, have ended. After `endMs` the row can be deleted.
 */
import * as z from 'zod'
import { SESSION_MS_MAX } from '../../platform/limits.ts'
import { type KeyedParts, openKeyedStore } from '../store/keyed-store.ts'

const ENDED = z.object({ beforeMs: z.int(), sessions: z.record(z.string(), z.int()), endMs: z.int() })
type Ended = z.infer<typeof ENDED>

/** Maximum number of remembered sign-outs of one account. The next one ends all its sessions. */
export const REVOKED_SESSIONS_PER_ACCOUNT_MAX = 1000
const EVERYBODY = ''
const NONE: Ended = { beforeMs: 0, sessions: {}, endMs: 0 }

export type Revocations = Awaited<ReturnType<typeof openRevocations>>

/** Reads `ended-sessions.jsonl`. A missing file ends all sessions. @throws Error if the file is not private or damaged */
export async function openRevocations(
  { dataDir, log }: Pick<KeyedParts, 'dataDir' | 'log'>,
  nowMs: () => number = Date.now,
) {
  const rows = await openKeyedStore({ dataDir, log }, 'ended-sessions', ENDED)
  const over = [...rows.entries()].filter(([, { endMs }]) => endMs <= nowMs())
  await Promise.all(over.map(([account]) => rows.delete(account)))

  const endAll = (account: string, beforeMs: number): Promise<void> =>
    rows.set(account, { beforeMs, sessions: {}, endMs: beforeMs + SESSION_MS_MAX })

  /** Returns a time: sessions of the account that started by then have ended; 0 if none. It may be in the future. */
  const endedBeforeMs = (account: string): number => {
    const [own = NONE, everybody = NONE] = [rows.get(account), rows.get(EVERYBODY)]
    return Math.max(own.beforeMs, everybody.beforeMs)
  }

  const revokeAllOf = (account: string): Promise<void> =>
    // Sessions after an earlier call start at least a millisecond after it, even if the clock was set back.
    endAll(account, Math.max(nowMs(), endedBeforeMs(account) + 1))

  if (rows.isNew) await endAll(EVERYBODY, nowMs())
  return {
    endedBeforeMs,
    revokeAllOf,
    isRevoked(account: string, session: string, startedMs: number): boolean {
      const { sessions } = rows.get(account) ?? NONE
      return startedMs <= endedBeforeMs(account) || sessions[session] !== undefined
    },
    revoke(account: string, session: string, startedMs: number): Promise<void> {
      const { beforeMs, sessions, endMs } = rows.get(account) ?? NONE
      const present = Object.entries(sessions).filter(([, untilMs]) => untilMs > nowMs())
      // Bounds the row: too many sign-outs end all sessions of the account.
      if (present.length >= REVOKED_SESSIONS_PER_ACCOUNT_MAX) return revokeAllOf(account)
      // Later than any setting allows, so that no change of a setting revives the session.
      const lastMs = startedMs + SESSION_MS_MAX
      const ended = { ...Object.fromEntries(present), [session]: lastMs }
      return rows.set(account, { beforeMs, sessions: ended, endMs: Math.max(endMs, lastMs) })
    },
  }
}
