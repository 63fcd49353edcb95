/** Charging that charges nobody, for practice: an account and a key of its own, in memory that nobody else sees. */
import { systemClock } from '../../ledger/clock.ts'
import { HEADER_BYTES, ROW_BYTES } from '../../ledger/meter/meter-layout.ts'
import { MeterRows } from '../../ledger/meter/meter-rows.ts'
import { Timeline } from '../../ledger/timeline.ts'
import { CREDITED_MAX_MICROS } from '../../limits.ts'
import { ACCOUNT, AVAILABLE, CAP_LEFT, NEXT_ROW } from '../live/live-layout.ts'
import { LiveState } from '../live/live-state.ts'
import { newSecret, secretHash } from '../secret.ts'
import { SharedCharging } from './shared-charging.ts'

const ACCOUNT_SLOT = 0
const KEY_SLOT = 1
/** Rows of the meter: none is numbered 0, and the key needs one for each bank of usage classes. */
const ROWS = 8

/** @returns a meter of the class that server threads charge with, and the secret of the one key that it knows */
export function practiceCharging(): { meter: SharedCharging; secret: string } {
  const live = LiveState.for(KEY_SLOT + 1)
  live.header[NEXT_ROW] = 1
  const account = live.lineOf(ACCOUNT_SLOT)
  account.words[account.word + ACCOUNT] = ACCOUNT_SLOT + 1
  account.cells[account.cell + AVAILABLE] = CREDITED_MAX_MICROS
  const key = live.lineOf(KEY_SLOT)
  key.words[key.word + ACCOUNT] = ACCOUNT_SLOT + 1
  key.cells[key.cell + CAP_LEFT] = Number.POSITIVE_INFINITY
  const secret = newSecret()
  const hash = Buffer.from(secretHash(Buffer.from(secret)))
  live.keys.add(hash, 0, hash.length, KEY_SLOT)
  const meter = SharedCharging.alone({
    live,
    rows: new MeterRows(new SharedArrayBuffer(HEADER_BYTES + ROWS * ROW_BYTES), HEADER_BYTES),
    timeline: Timeline.from(systemClock, 0),
    thread: 1,
    freeAnswersMax: Number.POSITIVE_INFINITY,
    wake: () => {},
    lease: async () => false,
  })
  return { meter, secret }
}
