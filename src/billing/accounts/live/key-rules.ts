/** Rules of keys in the live state. A thread copies a new version under the account's lock. */

import { NETWORK_WORDS, parseNetwork } from '../../../platform/networks.ts'
import type { KeyRecord } from '../../ledger/book/record.ts'
import { KEY_REFUSAL_NAMES } from '../key-refusals.ts'
import { CELL, WORD } from './live-layout.ts'
import { type Line, type LiveState, withLock } from './live-state.ts'

/** Cell: expiry of the key; Infinity without one. */
const EXPIRES_MS = 0
/** Cell: end of the previous secret. */
const PREVIOUS_UNTIL_MS = 1
/** Word: one bit for each allowed endpoint. */
const ENDPOINTS_WORD = 4
/** Word: number of networks; -1 if every address is allowed. */
const NETWORKS = 5

/** Bits of `ENDPOINTS_WORD` that allow every endpoint, also of later versions. */
const EVERY_ENDPOINT = -1

export type CopiedRules = ReturnType<typeof readRules>

/** Copies the rules: endpoints as bits, and networks for `isInNetworks`, where null allows all. */
export function readRules(line: Line) {
  const { words, cells, rulesWord, networksWord } = line
  const networks = words[rulesWord + NETWORKS]
  return {
    expiresMs: cells[rulesWord / 2 + EXPIRES_MS],
    previousUntilMs: cells[rulesWord / 2 + PREVIOUS_UNTIL_MS],
    endpoints: words[rulesWord + ENDPOINTS_WORD],
    limits: line.readLimits(),
    networks: networks < 0 ? null : words.slice(networksWord, networksWord + networks * NETWORK_WORDS),
  }
}

/**
 * Writes state, rules and secrets of a new or changed key under the lock, so that no thread copies a part. The
 * secrets are last: no thread finds a key before its state is written.
 */
export function writeKey(live: LiveState, key: KeyRecord): void {
  const { hash, rules, previous, account, revokedMs, offMs } = key
  const refusal = revokedMs !== 0 ? 'revoked' : offMs !== 0 ? 'off' : account.standing?.state
  const refused = refusal === undefined ? 0 : KEY_REFUSAL_NAMES.indexOf(refusal) + 1
  const line = live.lineOf(key.slot)
  const { words, word, cells, cell } = line
  withLock(live, account, () => {
    words[word + WORD.account] = account.slot + 1
    if (rules !== null || previous !== null || words[word + WORD.version] !== 0) writeRules(line, key)
    cells[cell + CELL.state] = refused || 0 - words[word + WORD.version]
    live.keys.set(key.slot, previous === null ? [hash] : [hash, previous.hash])
  })
}

function writeRules(
  { words, word, cells, rulesWord, networksWord }: Line,
  { rules, previous }: KeyRecord,
): void {
  const networks = rules?.addresses?.flatMap(text => [...(parseNetwork(text) ?? [])])
  const endpoints =
    rules?.endpoints?.reduce((bits, usageClass) => bits | (1 << usageClass), 0) ?? EVERY_ENDPOINT
  cells[rulesWord / 2 + EXPIRES_MS] = rules?.expiresMs ?? Number.POSITIVE_INFINITY
  cells[rulesWord / 2 + PREVIOUS_UNTIL_MS] = previous?.untilMs ?? 0
  words[rulesWord + ENDPOINTS_WORD] = endpoints
  words[rulesWord + NETWORKS] = networks === undefined ? -1 : networks.length / NETWORK_WORDS
  if (networks !== undefined) words.set(networks, networksWord)
  words[word + WORD.isLimited] = rules?.limits ? 1 : 0
  words[word + WORD.version]++
}
