/** Threads that die where others wait for them: the process must end, and must say why. */
import t from 'tap'
import { SharedStateError } from '../../src/accounts/account-error.ts'
import { LiveState } from '../../src/accounts/live/live-state.ts'
import { lock, unlock } from '../../src/accounts/live/lock.ts'

t.test('a lock whose holder has died is given up, and nothing is charged afterwards', t => {
  const { header } = LiveState.for(1)
  const words = new Int32Array(16)
  lock(header, words, 0, 7)
  t.throws(
    () => lock(header, words, 0, 1),
    new SharedStateError('thread 7 has died while it changed an account; thread 1 gave up waiting for it'),
  )
  t.notOk(header[0] === 0, 'the service is not healthy any more')
  unlock(words, 0)
  lock(header, words, 0, 1)
  t.end()
})
