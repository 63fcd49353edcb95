/**
 * Tokens sign in a person without an identity provider. `postrie serve` and `postrie token` print an address
 * with one:
 *
 *     http://127.0.0.1:8081/sign-in?token=nW1c…
 *
 * A token works once, for ten minutes. The memory has only hashes, so a restart ends all tokens.
 */
import { createHash, randomBytes } from 'node:crypto'
import { ExpiringMap } from '../../platform/expiring-map.ts'
import { HOUR_MS, MINUTE_MS } from '../../platform/time.ts'

const TOKEN_MS_MAX = 10 * MINUTE_MS
/** Maximum number of remembered tokens, used ones included. The oldest goes first. */
const TOKENS_MAX = 100
/** Maximum number of wrong tokens in a minute. Then right ones are refused as well. */
export const WRONG_TOKENS_PER_MINUTE_MAX = 20

/** Issuer of identities by token. Their subject is the address. Issuers of providers are http addresses. */
export const TOKEN_ISSUER = 'urn:postrie:token'

const NEXT = "Run 'postrie token' on the server, then open the address that it prints."

type Row = { email: string; endMs: number; isUsed: boolean }

export type Tokens = ReturnType<typeof createTokens>

export function createTokens() {
  const rows = new ExpiringMap<Row>(TOKENS_MAX)
  const wrong = { minute: 0, count: 0 }

  return {
    create(email: string): { token: string; endMs: number } {
      const token = randomBytes(32).toString('base64url')
      const endMs = Date.now() + TOKEN_MS_MAX
      rows.set(hashOf(token), { email, endMs, isUsed: false }, HOUR_MS)
      return { token, endMs }
    },
    /** Uses up a token. Returns the person's address, or the reason of a refusal. */
    use(token: string): { email: string } | { problem: string } {
      const minute = Math.floor(Date.now() / MINUTE_MS)
      if (minute !== wrong.minute) Object.assign(wrong, { minute, count: 0 })
      if (wrong.count >= WRONG_TOKENS_PER_MINUTE_MAX)
        return { problem: 'Too many wrong tokens. Wait a minute, then try again.' }
      // A hash is looked up: the time that it takes reveals nothing about the tokens.
      const row = rows.get(hashOf(token))
      if (row !== undefined && !row.isUsed && Date.now() < row.endMs) {
        row.isUsed = true
        return { email: row.email }
      }
      wrong.count++
      if (row === undefined) return { problem: `This token is not valid. ${NEXT}` }
      return { problem: `This token ${row.isUsed ? 'was used before' : 'has expired'}. ${NEXT}` }
    },
  }
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64')
