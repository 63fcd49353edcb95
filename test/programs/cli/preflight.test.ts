import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { writeIndex } from '../../support/fixture-index.ts'
import { listenUntilEnd } from '../../support/listening.ts'
import { command, postrie, startFakeServer } from '../../support/processes.ts'

const ANY_PORTS = { PORT: '0', CONTROL_PORT: '0' }

t.test('a taken port is reported with its setting, even before the index is built', async t => {
  const port = await listenUntilEnd(t, createServer())
  const dir = t.testdir()
  const INDEX_FILE = writeIndex(dir)
  const cases = [
    ['PORT', INDEX_FILE],
    ['CONTROL_PORT', INDEX_FILE],
    ['PORT', join(dir, 'none')],
  ]
  await Promise.all(
    cases.map(async ([name, INDEX_FILE], i) => {
      const settings = { ...ANY_PORTS, INDEX_FILE, [name]: String(port), LOG_LEVEL: 'warn' }
      const { code, stderr } = await postrie(join(dir, `${i}`), ['serve'], settings)
      t.equal(code, 1)
      const found = `${name} ${port} on HOST 127.0.0.1 cannot be listened on: another process listens there`
      t.equal(stderr, `postrie: ${found}. Set ${name} or HOST.\n`)
    }),
  )
})

t.test('an address that the machine lacks is reported', async t => {
  const { code, stderr } = await command(t.testdir(), ['serve', '--check'], {
    ...ANY_PORTS,
    HOST: '192.0.2.1',
  })
  t.equal(code, 1)
  t.match(stderr, /CONTROL_PORT 0 on HOST 192.0.2.1 cannot be listened on/)
})

t.test('a check reports that all is well, or each problem', async t => {
  const dir = t.testdir()
  const sound = { ...ANY_PORTS, INDEX_FILE: writeIndex(dir) }
  t.match(await command(dir, ['serve', '--check'], sound), { code: 0, stdout: /are ready for a start/ })
  const file = join(dir, 'not-an-index')
  writeFileSync(file, 'hello')
  const wrong = await command(dir, ['serve', '--check'], { ...ANY_PORTS, INDEX_FILE: file })
  t.equal(wrong.code, 1)
  t.match(wrong.stderr, /not-an-index: .*rebuild it with `postrie build`/)
  const started = await postrie(dir, ['serve'], { ...ANY_PORTS, INDEX_FILE: file, LOG_LEVEL: 'warn' })
  t.same([started.code, started.stderr], [1, wrong.stderr], 'a start says the same, once')
  const folder = await command(dir, ['serve', '--check'], { ...ANY_PORTS, INDEX_FILE: dir })
  t.match(folder, { code: 1, stderr: /cannot be read|EISDIR/ })
})

t.test('a check verifies the ledger and reports a lost one', async t => {
  const dir = t.testdir({ lost: {} })
  const settings = { ...ANY_PORTS, INDEX_FILE: writeIndex(dir) }
  await command(dir, ['account', 'create', 'ada@example.com'])
  t.match(await command(dir, ['serve', '--check'], settings), { code: 0 })
  const lost = join(dir, 'lost')
  mkdirSync(join(lost, 'ledger'))
  writeFileSync(join(lost, 'dashboard.key'), '')
  const found = await command(lost, ['serve', '--check'], settings)
  t.match(found, { code: 1, stderr: /the ledger was lost/ })
})

t.test('a check does not create a missing data folder', async t => {
  const dir = t.testdir()
  const missing = join(dir, 'not', 'there')
  const settings = { ...ANY_PORTS, INDEX_FILE: writeIndex(dir) }
  t.match(await command(missing, ['serve', '--check'], settings), {
    code: 0,
    stdout: /are ready for a start/,
  })
  t.match(await command(missing, ['serve', '--check'], ANY_PORTS), { code: 0 }, 'there is no index')
  t.notOk(existsSync(join(dir, 'not')))
})

t.test('a check beside a running server checks the ports', async t => {
  const dir = t.testdir()
  const server = await startFakeServer(dir)
  t.teardown(() => server.stop())
  const [port, controlPort] = [server.api, server.dashboard].map(address => Number(new URL(address).port))
  const taken = await listenUntilEnd(t, createServer())
  const INDEX_FILE = writeIndex(dir)
  const check = (PORT: number, CONTROL_PORT: number) =>
    command(dir, ['serve', '--check'], { INDEX_FILE, PORT: String(PORT), CONTROL_PORT: String(CONTROL_PORT) })
  const same = await check(port, controlPort)
  t.match(same, {
    code: 0,
    stdout: /Note: the running postrie of .* \(process \d+\) listens on the ports \d+ and \d+\./,
  })
  const another = await check(taken, controlPort)
  t.match(another, { code: 1, stderr: new RegExp(`PORT ${taken} .* another process listens there`) })
  t.match(another.stdout, /but the settings name/)
})

t.test('a check connects to the database of the fleet', async t => {
  const dir = t.testdir()
  const settings = { ...ANY_PORTS, INDEX_FILE: writeIndex(dir) }
  const port = await listenUntilEnd(
    t,
    createServer(socket => socket.end()),
  )
  const ACCOUNTS = `postgres://postrie:hidden@127.0.0.1:${port}/postrie`
  const { code, stderr } = await command(dir, ['serve', '--check'], { ...settings, ACCOUNTS })
  t.equal(code, 1)
  t.match(stderr, `ACCOUNTS postgres://127.0.0.1:${port}/postrie cannot be used: `)
  t.notMatch(stderr, 'hidden')
})
