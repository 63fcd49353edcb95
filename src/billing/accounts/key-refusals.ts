/** Reasons to refuse a secret, for the log. `unknown`: it is mistyped, or was replaced long ago. */
export const KEY_REFUSALS = {
  revoked: 'the key was revoked',
  off: 'the key was off',
  suspended: 'the account was suspended',
  closed: 'the account was closed',
  expired: 'the key had expired',
  replaced: 'the secret was replaced',
  unknown: 'but the rest was wrong',
}
export type KeyRefusal = keyof typeof KEY_REFUSALS
export const KEY_REFUSAL_NAMES = Object.keys(KEY_REFUSALS) as KeyRefusal[]
