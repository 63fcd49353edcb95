/** Who is looked at, and when, with a clock of the test. */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { Accounts } from '../../src/accounts/accounts.ts'
import { AccountWatch } from '../../src/control/account-watch.ts'
import { MINUTE_MS } from '../../src/platform/time.ts'

t.test('an account that changed in every turn kept all others from being looked at', async t => {
  let nowMs = 0
  let turns = 0
  const seen: Record<string, number> = { busy: 0, quiet: 0 }
  const watch: AccountWatch = new AccountWatch({
    accounts: { onChange: () => () => {} } as unknown as Accounts,
    log: { error: (_details: object, message: string) => t.fail(message) } as never,
    watched: () => ['busy', 'quiet'],
    isWatched: () => true,
    check: id => seen[id]++,
    afterTurn() {
      turns++
      nowMs += MINUTE_MS
      watch.mark('busy')
    },
    turnMs: 1,
    checksPerTurn: 10,
    nowMs: () => nowMs,
  })
  t.teardown(() => watch.close())
  watch.mark('busy')
  while (turns < 10) await sleep(1)
  t.ok(seen.quiet >= 4, `${seen.quiet} looks in ten minutes`)
  t.ok(seen.busy >= 10)
})
