/** A ledger with everything that can happen in one, over some months, from a seed. */
import { createHash } from 'node:crypto'
import { type AccountRecord, balanceMicros, type KeyRecord } from '../../src/ledger/book/record.ts'
import { ownersOf } from '../../src/ledger/book/team.ts'
import { type LedgerEvent, type UsageRow, usageEvents } from '../../src/ledger/event.ts'
import { Ledger } from '../../src/ledger/ledger.ts'
import { QUERY_PRICE_MICROS, USAGE_CLASSES_MAX } from '../../src/limits.ts'
import { seededRandom } from '../support/random.ts'
import { WrittenTime } from './written-time.ts'

const DAY_MS = 86_400_000
const ROLES = ['owner', 'developer', 'billing'] as const

/** Writes it to the folder `dir`, ending some hours before now. `steps` events or so. */
export async function writeRichLedger(dir: string, seed: number, steps: number): Promise<void> {
  const nowMs = Date.now()
  const time = new WrittenTime(nowMs)
  const ledger = await Ledger.open({
    ...{ dir, clock: time, priceMicros: QUERY_PRICE_MICROS },
    onFail(error) {
      throw error
    },
  })
  const life = new RichLife(ledger, seed)
  for (let step = 0; step < steps; step++) {
    // The last days in small steps, so that hours and days of histories overlap.
    const daysLeft = step < steps / 2 ? 240 - (step * 470) / steps : 5 - (step * 4.9) / steps
    time.set(ledger.timeline, Math.floor(nowMs - daysLeft * DAY_MS))
    life.step(ledger.timeline.nowMs())
    if (step % 500 === 0) await ledger.settled()
  }
  time.set(ledger.timeline, nowMs)
  await ledger.close()
}

class RichLife {
  readonly #ledger: Ledger
  readonly #random: (below: number) => number
  #references = 0

  constructor(ledger: Ledger, seed: number) {
    this.#ledger = ledger
    this.#random = seededRandom(seed)
  }

  /** Appends one event that the book allows at `nowMs`, or a few, or none. */
  step(nowMs: number): void {
    const { slots } = this.#ledger.book
    const kind = this.#random(100)
    if (slots.length < 3 || kind < 6) return this.#open(slots.length)
    const record = slots[this.#random(slots.length)]
    const account = record.type === 'account' ? record : record.account
    if (kind < 14) return this.#create(slots.length, account)
    if (kind < 24) return this.#credit(account)
    if (kind < 70) return this.#use()
    if (kind < 82) return this.#changeAccount(account, nowMs)
    if (record.type === 'key') this.#changeKey(record, nowMs)
  }

  #open(slot: number): void {
    this.#append([
      { kind: 'account', slot, id: `acct_${slot}`, email: `p${slot}@example.com` },
      { kind: 'identity', account: slot, issuer: 'https://id.example', subject: `s${slot}` },
      this.#creditOf(slot, 28_000, 0, 'free'),
    ])
  }

  #create(slot: number, account: AccountRecord): void {
    const label = ['', 'website', 'Zürich ✓'][this.#random(3)]
    this.#append([{ kind: 'key', slot, id: `key_${slot}`, account: account.slot, label, ...this.#secret() }])
  }

  #credit(account: AccountRecord): void {
    const micros = (1 + this.#random(20)) * 1_000_000
    const paid = Math.min(account.debtMicros, micros)
    this.#append([this.#creditOf(account.slot, micros, paid, 'payment', 'ada@example.com')])
  }

  #use(): void {
    const { book, timeline } = this.#ledger
    const rows: UsageRow[] = []
    const left = new Map<AccountRecord, number>()
    for (const key of book.keys.values()) {
      if (this.#random(4) > 0 || key.revokedMs > 0) continue
      const free = left.get(key.account) ?? Math.floor(balanceMicros(key.account) / QUERY_PRICE_MICROS)
      // Often all that is left.
      const count = Math.min(free, [1, 50, 3000, 1_000_000][this.#random(4)])
      left.set(key.account, free - count)
      const queries = [...key.queries]
      queries[this.#random(USAGE_CLASSES_MAX)] += count
      const spentMicros = queries.reduce((sum, one) => sum + one, 0) * QUERY_PRICE_MICROS
      if (count > 0) rows.push({ key: key.slot, queries, spentMicros })
    }
    for (const event of usageEvents(rows)) this.#append([event])
    if (timeline.nowMs() < 0) throw new Error('time is before 1970')
  }

  #changeAccount(record: AccountRecord, nowMs: number): void {
    const { slot: account, standing } = record
    const by = 'operator@example.com'
    switch (this.#random(9)) {
      case 0:
        return this.#append([
          { kind: 'limits', account, limits: this.#random(3) > 0 ? this.#limits() : null },
        ])
      case 1:
        return this.#append([{ kind: 'profile', account, lowBalanceMicros: this.#random(3) * 1_000_000 }])
      case 2:
        return this.#adjust(record)
      case 3: {
        const reason = 'asked for it'
        if (standing?.state === 'closed') return
        const kind = standing === null ? 'suspended' : 'resumed'
        return this.#append([{ kind, account, reason, by }])
      }
      case 4: {
        if (standing?.state === 'closed' || this.#random(4) > 0) return
        const takenMicros = balanceMicros(record)
        const closed = { takenMicros, reference: this.#reference(), reason: 'left', by }
        return this.#append([{ kind: 'closed', account, ...closed }])
      }
      case 5: {
        const invitation = this.#reference()
        const role = ROLES[this.#random(3)]
        const invited = { invitation, email: 'new@example.com', role, endMs: nowMs + 7 * DAY_MS, by }
        return this.#append([{ kind: 'invited', account, ...invited }])
      }
      case 6: {
        const [invitation] = record.team?.invitations.keys() ?? []
        if (invitation === undefined) return
        return this.#append([{ kind: 'uninvited', account, invitation }])
      }
      default:
        return this.#changeMember(record, by)
    }
  }

  #changeMember(record: AccountRecord, by: string): void {
    const people = [...this.#ledger.book.accounts.values()]
    const member = this.#random(2) > 0 ? record : people[this.#random(people.length)]
    const role = [...ROLES, null][this.#random(4)]
    if (role !== 'owner' && ownersOf(record).every(owner => owner === member.slot)) return
    const [invitation = null] = this.#random(2) > 0 ? (record.team?.invitations.keys() ?? []) : []
    this.#append([{ kind: 'member', account: record.slot, person: member.slot, role, invitation, by }])
  }

  #adjust(record: AccountRecord): void {
    const micros = (1 + this.#random(8)) * 1_000_000
    const takenMicros = Math.min(micros, balanceMicros(record))
    const why = { adjust: (['refund', 'dispute'] as const)[this.#random(2)], reference: this.#reference() }
    this.#append([{ kind: 'adjust', account: record.slot, micros, takenMicros, ...why, note: 'paid back' }])
  }

  #changeKey({ slot: key, rolled }: KeyRecord, nowMs: number): void {
    switch (this.#random(6)) {
      case 0:
        return this.#append([{ kind: 'rename', key, label: `renamed ${key}` }])
      case 1:
        return this.#random(3) > 0 ? undefined : this.#append([{ kind: 'revoke', key }])
      case 2:
        return this.#append([{ kind: 'cap', key, micros: [null, 0, 5_000_000][this.#random(3)] }])
      case 3: {
        const rules = { expiresMs: nowMs + 90 * DAY_MS, limits: this.#limits(), endpoints: [0, 2] }
        return this.#append([{ kind: 'rules', key, ...rules, addresses: ['192.0.2.0/24'] }])
      }
      case 4:
        return this.#append([{ kind: 'roll', key, ...this.#secret(), untilMs: nowMs + DAY_MS }])
      default:
        if (rolled !== null) this.#append([{ kind: 'overlap', key, untilMs: nowMs }])
    }
  }

  #limits() {
    return { perMinute: 60 + this.#random(40), perHour: null, perDay: this.#random(2) > 0 ? 10_000 : null }
  }

  #secret(): { start: string; hash: string } {
    const secret = `pk_live_${this.#random(0x7fffffff)}_${this.#references++}`
    return { start: secret.slice(0, 12), hash: createHash('sha256').update(secret).digest('base64url') }
  }

  #creditOf(
    account: number,
    micros: number,
    debtPaidMicros: number,
    credit: 'free' | 'payment',
    by?: string,
  ): LedgerEvent {
    const given = { credit, reference: this.#reference(), note: `note ${this.#references}` }
    return { kind: 'credit', account, micros, debtPaidMicros, ...given, ...(by && { by }) }
  }

  #reference(): string {
    return `ref-${++this.#references}`
  }

  #append(events: LedgerEvent[]): void {
    this.#ledger.append(events)
  }
}
