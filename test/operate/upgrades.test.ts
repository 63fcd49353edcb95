/** An upgrade: the old server drains, the next one takes over its ports, and no request that was read goes unanswered. */
import t from 'tap'
import { measureUpgrades } from './upgrades.ts'

const UPGRADES = Number(process.env.UPGRADES ?? 2)

const TIMEOUT_MS = 30_000 + UPGRADES * 15_000

t.test('requests in flight are answered before a server stops', { timeout: TIMEOUT_MS }, async t => {
  const { gapsMs, answered, failed } = await measureUpgrades(t.testdir(), UPGRADES)
  t.same(failed, [])
  t.ok(answered >= UPGRADES * 100)
  t.equal(gapsMs.length, UPGRADES)
  const [median, longest] = [gapsMs[Math.floor(UPGRADES / 2)], gapsMs[UPGRADES - 1]].map(Math.round)
  t.comment(
    `${UPGRADES} upgrades: ${answered} answers, gap ${median} ms in the median, ${longest} ms at the longest`,
  )
})
