/** Rules of keys in the live state. A thread copies a new version under the account's lock. */

import { NETWORK_WORDS, parseNetwork } from '../../../platform/networks.ts'
import type { KeyRecord } from '../../ledger/book/record.ts'
import { REFUSALS } from '../key-refusals.ts'
import { limitsAt } from './counter.ts'
import { CELL, WORD } from './live-layout.ts'
import type { LiveState } from './live-state.ts'
import { lock, unlock } from './lock.ts'

/** Cell: expiry of the key; Infinity without one. */
const EXPIRES_MS = 0
/** Cell: end of the earlier secret. */
const EARLIER_UNTIL_MS = 1
/** Word: number of the present secret. */
const SECRET = 4
/** Word: one bit for each allowed endpoint. */
const ENDPOINTS_WORD = 5
/** Word: 1 if the key has limits of its own. */
const KEY_LIMITED_WORD = 6
/** Word: number of networks; -1 if every address is allowed. */
const NETWORKS = 7

/** Bits of `ENDPOINTS_WORD` that allow every endpoint, also of later versions. */
const EVERY_ENDPOINT = -1

export type CopiedRules = ReturnType<typeof readRules>

/** Copies the rules: endpoints as bits, and networks for `isInNetworks`, where null allows all. */
export function readRules(live: LiveState, slot: number) {
  const { words, cells } = live
  const { word, networksWord } = live.rulesOf(slot)
  const networks = words[word + NETWORKS]
  return {
    expiresMs: cells[word / 2 + EXPIRES_MS],
    earlierUntilMs: cells[word / 2 + EARLIER_UNTIL_MS],
    secret: words[word + SECRET],
    endpoints: words[word + ENDPOINTS_WORD],
    limits: words[word + KEY_LIMITED_WORD] === 0 ? null : limitsAt(cells, live.lineOf(slot).windows),
    networks: networks < 0 ? null : words.slice(networksWord, networksWord + networks * NETWORK_WORDS),
  }
}

/** Writes the state, the rules and the secrets of a new or changed key. */
export function writeKey(live: LiveState, key: KeyRecord): void {
  const { words, cells } = live
  const { word, cell } = live.lineOf(key.slot)
  const secret = addSecrets(live, key)
  words[word + WORD.account] = key.account.slot + 1
  const isPlain = key.rules === null && key.rolled === null && words[word + WORD.version] === 0
  if (isPlain) cells[cell + CELL.state] = refusalOf(key)
  else writeRules(live, key, secret)
}

/** Adds the hashes that no thread finds yet. Returns the number of the present secret. */
function addSecrets(live: LiveState, { slot, hash, rolled }: KeyRecord): number {
  const { keys, words } = live
  const known = keys.find(hash)
  if (known !== undefined) return known.secret
  let secret = 0
  if (rolled !== null) {
    let earlier = keys.find(rolled.hash)?.secret
    if (earlier === undefined) {
      // The key was loaded, or two commands rolled it at once: the first secret is the earlier one now.
      const isNew = words[live.lineOf(slot).word + WORD.account] === 0
      earlier = isNew ? 0 : words[live.rulesOf(slot).word + SECRET] + 1
      keys.add(rolled.hash, slot, earlier)
    }
    secret = earlier + 1
  }
  keys.add(hash, slot, secret)
  return secret
}

/** Writes all rules under the lock, so that no thread copies a part. @param secret present secret's number */
function writeRules(live: LiveState, key: KeyRecord, secret: number): void {
  const { words, cells } = live
  const { rules, rolled } = key
  const { word, networksWord } = live.rulesOf(key.slot)
  const line = live.lineOf(key.slot)
  const addresses = rules?.addresses?.flatMap(text => [...(parseNetwork(text) ?? [])])
  const networks = addresses && Int32Array.from(addresses)
  const endpoints =
    rules?.endpoints?.reduce((bits, usageClass) => bits | (1 << usageClass), 0) ?? EVERY_ENDPOINT
  const account = live.lineOf(key.account.slot)
  lock(words, account.word, 0)
  cells[word / 2 + EXPIRES_MS] = rules?.expiresMs ?? Number.POSITIVE_INFINITY
  cells[word / 2 + EARLIER_UNTIL_MS] = rolled?.untilMs ?? 0
  words[word + SECRET] = secret
  words[word + ENDPOINTS_WORD] = endpoints
  words[word + KEY_LIMITED_WORD] = rules?.limits ? 1 : 0
  words[word + NETWORKS] = networks === undefined ? -1 : networks.length / NETWORK_WORDS
  if (networks !== undefined) words.set(networks, networksWord)
  const version = ++words[line.word + WORD.version]
  cells[line.cell + CELL.state] = refusalOf(key) || 0 - version
  unlock(words, account.word)
}

/** Returns why a key is refused, itself or through its account, as `CELL.state` has it; 0 if it is not. */
function refusalOf({ revokedMs, offMs, account: { standing } }: KeyRecord): number {
  const refusal = revokedMs !== 0 ? 'revoked' : offMs !== 0 ? 'off' : standing?.state
  return refusal === undefined ? 0 : REFUSALS.indexOf(refusal) + 1
}
