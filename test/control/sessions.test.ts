import t from 'tap'
import { ExpiringMap } from '../../src/control/shell/expiring-map.ts'
import { formToken, isFormToken } from '../../src/control/shell/form-token.ts'
import { Sessions, sameSecret } from '../../src/control/shell/sessions.ts'

const MINUTE = 60_000

t.test('a session ends when nobody uses it, and at its last hour whatever happens', async t => {
  let nowMs = 0
  const sessions = new Sessions(10 * MINUTE, 25 * MINUTE, () => nowMs)
  const token = sessions.start('acct_1')
  for (nowMs = 0; nowMs < 25 * MINUTE; nowMs += 9 * MINUTE) t.ok(sessions.find(token), `used at ${nowMs}`)
  nowMs = 25 * MINUTE
  t.notOk(sessions.find(token), 'the absolute end')

  const idle = sessions.start('acct_1')
  nowMs += 10 * MINUTE
  t.notOk(sessions.find(idle), 'the idle end')
})

t.test('signing out everywhere ends the sessions of one account only', async t => {
  const sessions = new Sessions(MINUTE, MINUTE)
  const [mine, also, other] = [sessions.start('a'), sessions.start('a'), sessions.start('b')]
  sessions.endAllOf('a')
  t.same(
    [mine, also, other].map(token => sessions.find(token)?.account),
    [undefined, undefined, 'b'],
  )
})

t.test('every sign-in gets a token and a form secret of its own', async t => {
  const sessions = new Sessions(MINUTE, MINUTE)
  const [one, two] = [sessions.start('a'), sessions.start('a')]
  t.not(one, two)
  t.not(sessions.find(one)?.csrf, sessions.find(two)?.csrf)
  t.notOk(sessions.find('made up'))
  t.notOk(sessions.find(undefined))
})

t.test('strangers cannot fill the memory', async t => {
  const map = new ExpiringMap<number>(3)
  for (let n = 0; n < 10; n++) map.set(String(n), n, MINUTE)
  t.equal(map.size, 3)
  t.equal(map.take('9'), 9)
  t.equal(map.take('9'), undefined, 'taken once')
})

t.test('secrets are compared whole', async t => {
  t.ok(sameSecret('abc', 'abc'))
  t.notOk(sameSecret('abc', 'abd'))
  t.notOk(sameSecret('', 'abc'))
})

t.test('the token of a form looks different on every page', async t => {
  const [one, two] = [formToken('secret'), formToken('secret')]
  t.not(one, two)
  t.ok(isFormToken(one, 'secret') && isFormToken(two, 'secret'))
  for (const wrong of ['', 'secret', one.slice(2), formToken('other')])
    t.notOk(isFormToken(wrong, 'secret'), wrong)
})
