import { chmodSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import {
  openSessions,
  SESSIONS_PER_PERSON_MAX,
  type SessionTimes,
} from '../../src/console/session/sessions.ts'
import { createSigner, readSigningKey } from '../../src/console/session/signer.ts'
import { Browser } from '../support/dashboard.ts'
import { startFakeServer } from '../support/processes.ts'

const MINUTE = 60_000
const SIGN_IN = { chosen: null, provedEmail: null, byToken: false, browser: 'b', from: '::1' }

/** Opens sessions in a folder of their own, with a clock that the test sets. */
async function start(t: Test, times: SessionTimes, clock = { nowMs: 1_000_000 }) {
  const dir = t.testdir()
  const nowMs = () => clock.nowMs
  const open = async () => {
    const signer = createSigner(await readSigningKey(join(dir, 'key')), nowMs)
    const sessions = await openSessions({ dataDir: dir, log: console }, signer, times, nowMs)
    return { ...sessions, start: (person: string) => sessions.start(person, SIGN_IN) }
  }
  const sessions = await open()
  clock.nowMs++
  return { dir, clock, open, sessions }
}

t.test('a session ends when idle, and always after its maximum age', async t => {
  const { sessions, clock } = await start(t, { idleMs: 10 * MINUTE, maxMs: 25 * MINUTE })
  const startMs = clock.nowMs
  const cookie = await sessions.start('acct_1')
  for (; clock.nowMs < startMs + 25 * MINUTE; clock.nowMs += 9 * MINUTE) {
    const session = sessions.find(cookie)
    t.ok(session, `used after ${clock.nowMs - startMs}`)
    session?.see('b', '::1')
  }
  clock.nowMs = startMs + 25 * MINUTE
  t.notOk(sessions.find(cookie), 'the absolute end')

  const idle = await sessions.start('acct_1')
  clock.nowMs += 10 * MINUTE
  t.notOk(sessions.find(idle), 'the idle end')
  t.same(sessions.openOf('acct_1'), [])
})

t.test('shorter limits apply to existing sessions', async t => {
  const times = { idleMs: 10 * MINUTE, maxMs: 60 * MINUTE }
  const { sessions, clock } = await start(t, times)
  const cookie = await sessions.start('acct_1')
  clock.nowMs += 5 * MINUTE
  times.idleMs = 5 * MINUTE
  t.notOk(sessions.find(cookie))
})

t.test('signing out everywhere ends the sessions of one account', async t => {
  const { sessions, clock, open } = await start(t, { idleMs: MINUTE, maxMs: MINUTE })
  const [mine, also, other] = await Promise.all(['a', 'a', 'b'].map(sessions.start))
  const found = () => [mine, also, other].map(cookie => sessions.find(cookie)?.person)
  t.same(found(), ['a', 'a', 'b'])
  await sessions.endAllOf('a')
  t.same(found(), [undefined, undefined, 'b'])
  const again = await open()
  t.same(
    [mine, also, other].map(cookie => again.find(cookie)?.person),
    [undefined, undefined, 'b'],
  )
  t.ok(sessions.find(await sessions.start('a')), 'the next sign-in is valid at once')
  clock.nowMs -= MINUTE / 2
  t.ok(sessions.find(await sessions.start('a')), 'also when the clock is set back')
})

t.test('every sign-in gets its own cookie and form secret', async t => {
  const { sessions } = await start(t, { idleMs: MINUTE, maxMs: MINUTE })
  const [one = '', two = ''] = await Promise.all(['a', 'a'].map(sessions.start))
  t.not(one, two)
  t.not(sessions.find(one)?.csrfOf('a'), sessions.find(two)?.csrfOf('a'))
  t.not(sessions.find(one)?.csrfOf('a'), sessions.find(one)?.csrfOf('b'), 'the same text on another account')
  for (const wrong of [undefined, '', 'made up', one.slice(1), `${one}A`, one.slice(0, -4), 'A'.repeat(9999)])
    t.notOk(sessions.find(wrong), String(wrong?.slice(0, 20)))
  for (const { id } of sessions.openOf('a'))
    t.notOk(sessions.find(id), 'the id of a session, which pages show')
  const swapped = `${one.slice(0, 20)}${one[20] === 'A' ? 'B' : 'A'}${one.slice(21)}`
  t.notOk(sessions.find(swapped), 'one character changed')
})

t.test('a text that is signed for one purpose is not accepted for another', async t => {
  const signer = createSigner(Buffer.alloc(32, 1))
  const text = signer.sign('sign-in', { state: 'x' }, Date.now() + MINUTE)
  t.same(signer.verify('known', text), undefined)
  t.ok(signer.verify('sign-in', text))
  t.same(createSigner(Buffer.alloc(32, 2)).verify('sign-in', text), undefined, 'under another key')
  t.same(signer.verify('sign-in', signer.sign('sign-in', 1, Date.now() - 1)), undefined, 'after its expiry')
})

t.test('an ended session stays ended, even if its file is damaged', async t => {
  const { sessions, open, dir } = await start(t, { idleMs: MINUTE, maxMs: MINUTE })
  const file = join(dir, 'sessions.jsonl')
  const [kept = '', ended = ''] = await Promise.all(['a', 'b'].map(sessions.start))
  const session = sessions.find(ended)
  await sessions.end(session?.id ?? '')
  session?.choose('c')
  session?.see('another', '::2')
  await sessions.close()
  const now = async () => {
    const again = await open()
    return [kept, ended].map(cookie => again.find(cookie)?.person)
  }
  t.same(await now(), ['a', undefined], 'after a restart, and what it did meanwhile does not revive it')
  const text = readFileSync(file, 'utf8')
  for (const cookie of [kept, ended]) t.notMatch(text, cookie, 'the file signs nobody in')
  writeFileSync(file, text.replace('"seenMs"', '"seXnMs"'))
  await t.rejects(open(), /sessions\.jsonl: found .* move it away .*: everybody must then sign in again/)
  writeFileSync(file, text)
  rmSync(join(dir, 'key'))
  t.same(await now(), [undefined, undefined], 'another key ends all sessions')
  rmSync(file)
  t.same(await now(), [undefined, undefined], 'a missing file ends all sessions')
})

t.test('sessions are bounded for each person, and those that are over leave the file', async t => {
  const { sessions, dir, clock } = await start(t, { idleMs: 20 * MINUTE, maxMs: 30 * MINUTE })
  const other = await sessions.start('b')
  const [first, used] = [await sessions.start('a'), await sessions.start('a')]
  clock.nowMs += MINUTE
  sessions.find(used)?.see('b', '::1')
  for (let count = 2; count < SESSIONS_PER_PERSON_MAX; count++) await sessions.start('a')
  t.ok(sessions.find(first))
  await sessions.start('a')
  t.notOk(sessions.find(first), 'the one that was not used for the longest time has ended')
  t.ok(sessions.find(used))
  t.ok(sessions.find(other))
  t.equal(sessions.openOf('a').length, SESSIONS_PER_PERSON_MAX)
  for (let count = 0; count < 1000; count++) await sessions.start('a')
  const rows = () => readFileSync(join(dir, 'sessions.jsonl'), 'utf8').split('\n').slice(1, -1)
  t.ok(rows().length < 1100, `${rows().length} lines`)
  clock.nowMs += 30 * MINUTE
  await sessions.start('c')
  await sessions.close()
  const ended = rows().filter(line => JSON.parse(line).length === 1)
  t.ok(ended.length > SESSIONS_PER_PERSON_MAX, 'each has a line that ends it')
})

t.test('the time of the last request is written once in each twentieth of the idle time', async t => {
  const { sessions, dir, clock, open } = await start(t, { idleMs: 20 * MINUTE, maxMs: 60 * MINUTE })
  const cookie = await sessions.start('a')
  const lines = () => readFileSync(join(dir, 'sessions.jsonl'), 'utf8').split('\n').length
  const before = lines()
  for (let second = 0; second < 600; second += 5) {
    clock.nowMs += 5000
    sessions.find(cookie)?.see(`browser ${second}`, '::2')
    await new Promise(setImmediate)
  }
  t.match(sessions.openOf('a'), [{ browser: 'browser 595', from: '::2', seenMs: clock.nowMs }])
  await sessions.close()
  t.ok(lines() - before <= 11, `${lines() - before} lines for ten minutes`)
  const [seen] = (await open()).openOf('a')
  t.ok(seen && clock.nowMs - seen.seenMs <= MINUTE)
})

t.test('a file that other users can read or write is refused', async t => {
  const dir = t.testdir({ open: 'x'.repeat(32), short: 'x', target: 'x'.repeat(32) })
  symlinkSync(join(dir, 'target'), join(dir, 'link'))
  chmodSync(join(dir, 'open'), 0o644)
  chmodSync(join(dir, 'short'), 0o600)
  await t.rejects(readSigningKey(join(dir, 'open')), /found mode 0644.*expected a file with mode 0600/)
  await t.rejects(readSigningKey(join(dir, 'short')), /found 1 bytes; expected 32/)
  writeFileSync(join(dir, 'zero'), Buffer.alloc(32), { mode: 0o600 })
  await t.rejects(readSigningKey(join(dir, 'zero')), /found 32 bytes, all zero/)
  await t.rejects(readSigningKey(join(dir, 'link')), /found a symbolic link/)
  symlinkSync(join(dir, 'target'), join(dir, 'sessions.jsonl'))
  const times = { idleMs: MINUTE, maxMs: MINUTE }
  const sessions = openSessions({ dataDir: dir, log: console }, createSigner(Buffer.alloc(32, 1)), times)
  await t.rejects(sessions, /found a symbolic link/)
  const key = await readSigningKey(join(dir, 'new'))
  t.equal(statSync(join(dir, 'new')).mode & 0o777, 0o600)
  t.same(await readSigningKey(join(dir, 'new')), key, 'the same the next time')
})

t.test('a session survives a kill, and an ended one stays ended', async t => {
  const dir = t.testdir()
  const first = await startFakeServer(dir)
  const [ada, bob, carol] = ['demo', 'bob', 'carol'].map(() => new Browser(first.dashboard))
  for (const [browser, name] of [
    [ada, 'demo'],
    [bob, 'bob'],
    [carol, 'carol'],
  ] as const)
    await browser.signIn(`${name}@localhost`)
  const ended = [new Map(bob.cookies), new Map(carol.cookies)]
  t.equal((await bob.submit('/', '/sign-out')).status, 303)
  t.equal((await carol.submit('/account', '/sign-out-everywhere')).status, 303)
  for (const name of ['dashboard.key', 'sessions.jsonl'])
    t.equal(statSync(join(dir, name)).mode & 0o777, 0o600, name)
  await first.stop('SIGKILL')
  const second = await startFakeServer(dir)
  t.teardown(() => second.stop())
  const back = new Browser(second.dashboard, ada.cookies)
  t.equal((await back.visit('/balance')).url, `${second.dashboard}/balance`)
  t.equal((await back.submit('/keys', '/keys', { label: 'after' })).status, 303, 'forms are valid')
  for (const cookies of ended)
    t.match((await new Browser(second.dashboard, cookies).visit('/')).url, '/sign-in')
})

t.test('a person sees their sessions, ends one of them, and chooses the colours', async t => {
  const server = await startFakeServer(t.testdir())
  t.teardown(() => server.stop())
  const start = () => new Browser(server.dashboard)
  const [here, phone, other] = [start(), start(), start()]
  await here.signIn('ada@example.com')
  await phone.signIn('ada@example.com')
  const agent =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Mobile/15E148 Safari/604.1'
  await phone.fetch('/account', { headers: { 'User-Agent': agent } })
  t.match(await here.read('/account'), 'Safari 17 on iPhone')
  await phone.fetch('/account', { headers: { 'User-Agent': 'Phone <b>' } })
  await other.signIn('eve@example.com')
  const page = await here.read('/account')
  t.match(page, /this one.*Phone &lt;b&gt;|Phone &lt;b&gt;.*this one/s)
  const [, id = ''] = /name="id" value="([^"]+)"/.exec(page) ?? []
  await other.submit('/account', '/account/session', { id })
  t.equal((await phone.fetch('/account')).status, 200, 'not of another person')
  await here.submit('/account', '/account/session', { id })
  t.match(await here.read('/account'), 'That browser is signed out.')
  t.equal((await phone.fetch('/account')).status, 303)
  t.equal((await here.fetch('/account')).status, 200)
  await here.submit('/account', '/account/theme', { theme: 'dark' })
  t.match(await here.read('/usage'), '<meta name="color-scheme" content="dark"/>')
  await here.expectRefused('/account', '/account/theme', { theme: 'x' })
})
