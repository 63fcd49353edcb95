/** Which accounts the alerts check: no account is forgotten, and those without limits and caps cost nothing between changes. */
import t from 'tap'
import { CheckedAccounts } from '../../src/control/alerts/checked-accounts.ts'

const SECOND_MS = 1000
const all = Array.from({ length: 10 }, (_, n) => `acct_${n}`)

t.test('a start checks all accounts, a sweep those with limits or caps', async t => {
  const checked = new CheckedAccounts(() => all)
  let nowMs = 1_700_000_000_000
  t.same(
    [...checked.take(6, nowMs), ...checked.take(6, nowMs), ...checked.take(6, nowMs)],
    all,
    'some in each turn',
  )
  checked.setTimed('acct_3', true)
  checked.setTimed('acct_4', true)
  checked.setTimed('acct_4', false)
  t.same(checked.take(99, nowMs + 15 * SECOND_MS), [], 'not before its time')
  nowMs += 16 * SECOND_MS
  t.same(checked.take(99, nowMs), ['acct_3'])
  checked.mark('acct_7')
  checked.mark('acct_7')
  t.same(checked.take(99, nowMs), ['acct_7'], 'a change is checked at once, and once')
  nowMs += 601 * SECOND_MS
  t.same(checked.take(99, nowMs), all, 'all of them now and then')
  nowMs -= 3600 * SECOND_MS
  t.same(checked.take(99, nowMs), all, 'also when the clock has been set back')
})

t.test('a sweep waits until all that have changed are checked', async t => {
  const checked = new CheckedAccounts(() => all)
  checked.mark('acct_0')
  checked.mark('acct_1')
  t.same(checked.take(1, 1e12), ['acct_0'])
  t.same(checked.take(1, 1e12), ['acct_1'])
  t.same(checked.take(99, 1e12), all)
})
