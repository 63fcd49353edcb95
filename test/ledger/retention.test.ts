/** Retention run to its end: most of what was ever written is deleted, and the ledger still says what the model does. */
import t from 'tap'
import { runRetention } from './retention.ts'

// Far beyond what it takes on an idle machine; a busy one must not fail.
t.setTimeout(600_000)

t.test('segments and snapshots come and go; balances, usage and references stay', async t => {
  const report = await runRetention(t.testdir(), {
    events: 500_000,
    segmentBytesMax: 32 * 1024,
    keys: 200,
    lives: 4,
  })
  t.same(report.problems, [])
  t.ok(report.segmentsBegun >= 20, `${report.segmentsBegun} segments were begun`)
  t.ok(report.segmentsLeft < report.segmentsBegun / 2, `${report.segmentsLeft} are left`)
  t.ok(report.snapshotsLeft <= 4, `${report.snapshotsLeft} snapshots are left`)
  t.comment(report)
})
