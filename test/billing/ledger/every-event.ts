import { type LedgerEvent, usageEvents } from '../../../src/billing/ledger/event.ts'

const CREDIT = { micros: 5e6, debtPaidMicros: 0, credit: 'free', reference: 'free:a', note: '' } as const
const ADJUST = { micros: 9e6, takenMicros: 3_039_888, adjust: 'dispute', reference: 'd' } as const
const KEY = { id: 'key_a', label: 'first', start: 'pk_live_aaaa', hash: 'h'.repeat(43) }
const RULES = {
  limits: { perMinute: 5, perHour: null, perDay: 70_000 },
  endpoints: [0, 3],
  addresses: ['10.0.0.0/8', '2001:db8::/32'],
}
const INVITED = { invitation: 'inv_a', email: 'bob@example.org', role: 'developer', by: 'ada' } as const
/** Returns transactions in an order that the book accepts at `nowMs`. */
export function everyEvent(nowMs: number): LedgerEvent[][] {
  return [
    [{ kind: 'open' }],
    [
      { kind: 'account', slot: 0, id: 'acct_a', email: 'ada@example.org' },
      { kind: 'credit', account: 0, ...CREDIT },
      { kind: 'identity', account: 0, issuer: 'https://id.example', subject: 'ada' },
    ],
    [{ kind: 'key', slot: 1, account: 0, ...KEY }],
    [{ kind: 'switch', key: 1, isOn: false }],
    [{ kind: 'rename', key: 1, label: 'Zoë’s key' }],
    [{ kind: 'cap', key: 1, micros: 1_000_000 }],
    [{ kind: 'rules', key: 1, ...RULES, expiresMs: nowMs + 1e9 }],
    [{ kind: 'roll', key: 1, start: 'pk_live_bbbb', hash: 'i'.repeat(43), untilMs: nowMs + 1000 }],
    [{ kind: 'overlap', key: 1, untilMs: nowMs }],
    [{ kind: 'limits', account: 0, limits: { perMinute: 10, perHour: 100, perDay: null } }],
    [{ kind: 'profile', account: 0, lowBalanceMicros: 300 }],
    [{ kind: 'note', account: 0, note: 'pays by bank transfer' }],
    usageEvents([{ key: 1, queries: [3, 0, 1, 70_000], spentMicros: 1_960_112 }]),
    [{ kind: 'adjust', account: 0, ...ADJUST, note: 'a note', payment: 'p', by: 'ops@example.org' }],
    [{ kind: 'invited', account: 0, ...INVITED, endMs: nowMs + 1e9 }],
    [{ kind: 'account', slot: 2, id: 'acct_b', email: 'bob@example.org' }],
    [{ kind: 'member', account: 0, person: 2, role: 'owner', invitation: 'inv_a', by: 'bob' }],
    [{ kind: 'invited', account: 0, ...INVITED, invitation: 'inv_b', endMs: nowMs + 1e9 }],
    [{ kind: 'uninvited', account: 0, invitation: 'inv_b' }],
    [{ kind: 'suspended', account: 0, reason: 'a test', by: 'ops' }],
    [{ kind: 'resumed', account: 0, reason: 'a test', by: 'ops' }],
    [{ kind: 'revoke', key: 1 }],
    [{ kind: 'closed', account: 2, takenMicros: 0, reference: 'closed:b', reason: 'a test', by: 'ops' }],
  ]
}
