/** One entry of the audit log, and its line; FORMAT.md has the fields. Writing and reading stand together, so they agree. */
import type { Actor } from '../../accounts/actor.ts'
import type { Deed } from '../../accounts/deeds.ts'

export const LINE_BYTES_MAX = 8 * 1024

export interface AuditEntry {
  timeMs: number
  actor: Actor
  what: Deed['what'] | 'sign-in' | 'sign-out' | 'index' | 'start' | 'lost' | 'recharge'
  account: string | null
  key: string | null
  details: Readonly<Record<string, unknown>>
}

const ACCOUNT_FIELD = '{"account":"'

export function lineOf({ timeMs, actor, what, account, key, details }: AuditEntry): string {
  const { kind, name: who, from } = actor
  const fields = { account, time: new Date(timeMs).toISOString(), kind, who, from, what, key }
  const line = JSON.stringify({ ...fields, details })
  if (Buffer.byteLength(line) < LINE_BYTES_MAX) return `${line}\n`
  return `${JSON.stringify({ ...fields, details: { left_out: true } })}\n`
}

export function entryOf(line: string): AuditEntry | null {
  try {
    const { account, time, kind, who, from, what, key, details } = JSON.parse(line)
    const timeMs = Date.parse(time)
    if (Number.isNaN(timeMs) || typeof what !== 'string' || typeof details !== 'object') return null
    return {
      timeMs,
      actor: { kind, name: String(who), from: String(from) },
      what,
      account,
      key,
      details,
    } as AuditEntry
  } catch {
    return null
  }
}

/** Returns the account of the line at `bytes[start]`, or null. No entry is parsed to find those of one account. */
export function accountAt(bytes: Buffer, start: number): string | null {
  const idStart = start + ACCOUNT_FIELD.length
  if (bytes.toString('latin1', start, idStart) !== ACCOUNT_FIELD) return null
  const end = bytes.indexOf('"', idStart)
  return end === -1 ? null : bytes.toString('latin1', idStart, end)
}
