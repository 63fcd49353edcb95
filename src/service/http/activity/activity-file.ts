/**
 * Keeps the activity log over an orderly restart, in one file. A start reads the file and removes it, so a
 * crash never brings back an older log.
 *
 *     0    "postrie activity 3\n"
 *     19   CRC-32 of the rest
 *     23   the log, and the ids of its accounts and keys by slot, as MessagePack
 */
import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { Packr } from 'msgpackr/pack'
import type { Accounts } from '../../../billing/accounts/accounts.ts'
import type { Log } from '../../../platform/log.ts'
import { writeWhole } from '../../../platform/replace-file.ts'
import type { AccountSender, KeySender } from '../../data-plane.ts'
import type { ActivityLog, KeptActivity } from './activity-log.ts'
import { accountOf } from './activity-writer.ts'

const MAGIC = Buffer.from('postrie activity 3\n')
const HEAD_BYTES = MAGIC.length + 4
/** Maximum bytes of a file beside its requests: its counts and networks. */
const OTHER_BYTES_MAX = 64 * 1024 * 1024
const packr = new Packr()

/** Ids by slot. After a restore, a slot may belong to another customer, who must not see these requests. */
type Ids = readonly (readonly [slot: number, id: string])[]
type Content = KeptActivity & { accountIds: Ids; keyIds: Ids }

function slotsIn({ codes, shelves }: KeptActivity) {
  const ofAccounts = new Set<AccountSender | null>(codes.map(([account]) => account))
  const ofKeys = new Set<KeySender | null>()
  for (const { requests, refusals, sightings } of shelves) {
    for (const [log] of requests) ofAccounts.add(accountOf(log))
    for (const [who] of refusals) ofAccounts.add(who)
    for (const [, items] of [...requests, ...refusals]) for (const { sender } of items) ofKeys.add(sender)
    for (const [sender] of sightings) ofKeys.add(sender)
  }
  const slots = (all: Set<AccountSender | null>) => [...all].filter(each => typeof each === 'number')
  return { accountSlots: slots(ofAccounts), keySlots: slots(ofKeys) }
}

const pathIn = (dataDir: string) => join(dataDir, 'activity')

/** Writes the log. If that fails, only a line in the service's log says so. */
export async function keepActivity(dataDir: string, activity: ActivityLog, accounts: Accounts, log: Log) {
  const path = pathIn(dataDir)
  try {
    const kept = activity.kept()
    const { accountSlots, keySlots } = slotsIn(kept)
    const accountIds = accountSlots.map(slot => [slot, accounts.accountAt(slot).id] as const)
    const keyIds = keySlots.map(slot => [slot, accounts.viewOf({ slot }).id] as const)
    const body = packr.pack({ ...kept, accountIds, keyIds } satisfies Content)
    const sum = Buffer.alloc(4)
    sum.writeUInt32LE(crc32(body))
    // It has addresses of clients.
    await writeWhole(path, Buffer.concat([MAGIC, sum, body]), 0o600)
  } catch (err) {
    log.warn({ err, path }, 'the log of requests was not kept for the next start')
  }
}

/** Adds the log of the last process, and removes its file. @param bytesMax 0 keeps no requests */
export async function restoreActivity(
  dataDir: string,
  activity: ActivityLog,
  accounts: Accounts,
  log: Log,
  bytesMax: number,
) {
  const path = pathIn(dataDir)
  try {
    const { size } = await stat(path)
    if (size > bytesMax + OTHER_BYTES_MAX) throw new Error(`found ${size} bytes; expected fewer`)
    const bytes = await readFile(path)
    const body = bytes.subarray(HEAD_BYTES)
    if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('found another file')
    if (bytes.readUInt32LE(MAGIC.length) !== crc32(body)) throw new Error('found a damaged file')
    const content: Content = packr.unpack(body)
    const same = (ids: Ids, slotOf: (id: string) => number | undefined) => {
      const slots = new Set(ids.filter(([slot, id]) => slotOf(id) === slot).map(([slot]) => slot))
      return (slot: number) => slots.has(slot)
    }
    const isAccount = same(content.accountIds, id => accounts.account(id) && accounts.slotOf(id))
    const isKey = same(content.keyIds, id => accounts.key(id) && accounts.keySlotOf(id))
    if (bytesMax > 0) activity.restore(content, isAccount, isKey)
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return
    log.warn({ err, path }, 'the log of requests cannot be read and is dropped')
  }
  await rm(path, { force: true, recursive: true }).catch(err =>
    log.warn({ err, path }, 'the log of requests cannot be removed: a start after a crash may read it again'),
  )
}
