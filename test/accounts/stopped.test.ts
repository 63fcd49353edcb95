import t from 'tap'
import { HEALTH, HEALTHY, STALLED, STOPPED } from '../../src/accounts/live/live-layout.ts'
import { LiveState } from '../../src/accounts/live/live-state.ts'

t.test('a disk that answers again does not resume a service that must end', async t => {
  const live = LiveState.for(10)
  live.setStalled(true)
  t.equal(live.header[HEALTH], STALLED)
  live.setStalled(false)
  t.equal(live.header[HEALTH], HEALTHY)
  live.setStalled(true)
  live.header[HEALTH] = STOPPED
  live.setStalled(false)
  t.equal(live.header[HEALTH], STOPPED)
})
