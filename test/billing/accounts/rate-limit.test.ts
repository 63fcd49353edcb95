/** `model.ts` tests everything but set clocks. */
import t from 'tap'
import { AccountsFixture } from './accounts-fixture.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

for (const backMs of [MINUTE_MS, 5 * HOUR_MS, 40 * 24 * HOUR_MS]) {
  t.test(`a clock set back by ${backMs / MINUTE_MS} minutes refills nothing early`, async t => {
    const fixture = await AccountsFixture.create()
    fixture.clock.advance(30 * MINUTE_MS)
    await fixture.accounts.setLimits(fixture.accountId, { perMinute: null, perHour: 10, perDay: null })
    fixture.accounts.charging.admit(fixture.key(), 10)
    fixture.clock.jump(-backMs)
    t.equal(fixture.accounts.charging.admit(fixture.key(), 1), 1800, 'while running')
    await fixture.restart()
    t.ok(fixture.accounts.charging.admit(fixture.key(), 1) >= 1800, 'after a restart')
    fixture.clock.advance(30 * MINUTE_MS)
    if (backMs < 24 * HOUR_MS)
      t.equal(fixture.accounts.charging.admit(fixture.key(), 1), 0, 'limits refill in time')
  })
}

t.test('a clock that is set forward is followed, as after a sleep of the machine', async t => {
  const fixture = await AccountsFixture.create()
  await fixture.accounts.setLimits(fixture.accountId, { perMinute: null, perHour: null, perDay: 10 })
  fixture.accounts.charging.admit(fixture.key(), 10)
  fixture.clock.jump(24 * HOUR_MS)
  t.equal(fixture.accounts.charging.admit(fixture.key(), 1), 0)
  t.equal(fixture.key().account.currentDay, 1)
})

t.test('a clock that goes back a day or two and returns refills no day', async t => {
  const fixture = await AccountsFixture.create()
  await fixture.accounts.setLimits(fixture.accountId, { perMinute: null, perHour: null, perDay: 10 })
  fixture.accounts.charging.admit(fixture.key(), 10)
  for (const hours of [25, 47]) {
    fixture.clock.jump(-hours * HOUR_MS)
    t.equal(fixture.accounts.charging.admit(fixture.key(), 1), (12 + hours) * 3600)
    fixture.clock.jump(hours * HOUR_MS)
    t.equal(fixture.accounts.charging.admit(fixture.key(), 1), 12 * 3600)
  }
  fixture.clock.advance(12 * HOUR_MS)
  t.equal(fixture.accounts.charging.admit(fixture.key(), 1), 0)
})
