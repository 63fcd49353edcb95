/** What a start does before its first answer: nothing that the answer does not need, and no binary that has not been checked. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { closedGate, openGate } from '../../src/http/threads/binary-gate.ts'
import { launchThreads } from '../../src/http/threads/launch.ts'
import { bundleInto } from '../support/bundled.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { until } from '../support/until.ts'

const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
/** Packages of other commands, of the dashboard, and of what is off by default. */
const UNNEEDED =
  /node_modules\/(commander|cli-table3|cli-progress|hono|@hono|prom-client|stripe|openid-client|oidc-provider|nodemailer|piscina|@opentelemetry|@modelcontextprotocol|zod|yauzl)\//
/** It was 55 when this was written, and 295 without the bundle. Each file costs up to half a millisecond. */
const OWN_FILES_MAX = 70
const BINARY = /\/uws_\w+\.node$/

/** What is mapped into this process, as the kernel lists it. */
const mapped = () => readFileSync('/proc/self/maps', 'utf8')
const BINARY_IN_MEMORY = /\/uws_\w+\.node/

t.test(
  'the API is listened on before any code is loaded that no answer needs, and after its binary was read to be checked',
  { skip: !canTrace && 'strace is missing or the kernel refuses ptrace' },
  async t => {
    const dir = t.testdir({ data: {} })
    const traceFile = join(dir, 'trace')
    writeIndex(join(dir, 'data'))
    const calls = ['-f', '-qq', '-e', 'trace=openat,listen', '-o', traceFile]
    const child = spawn('strace', [...calls, process.execPath, bundleInto(join(dir, 'bundle')), 'serve'], {
      env: { PATH: process.env.PATH, DATA_DIR: join(dir, 'data'), PORT: '0', CONTROL_PORT: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const closed = once(child, 'close')
    let log = ''
    child.stderr.on('data', chunk => {
      log += chunk
      const [, pid] = /"pid":(\d+)/.exec(log) ?? []
      if (pid !== undefined) process.kill(Number(pid), 'SIGTERM')
    })
    await closed
    const lines = readFileSync(traceFile, 'utf8').split('\n')
    const listening = lines.findIndex(line => / listen\(/.test(line))
    t.ok(listening > 0, log)
    const opened = lines.slice(0, listening).flatMap(line => {
      // A call that another thread interrupts has its result in a later line.
      const [, thread, path] = /^(\d+) +openat\(.*"([^"]+)"(?!.* = -1)/.exec(line) ?? []
      return path === undefined ? [] : [{ thread, path }]
    })
    t.ok(
      opened.some(({ path }) => path.endsWith('/bundle/server-thread.js')),
      'files are seen',
    )
    t.same(
      opened.filter(({ path }) => UNNEEDED.test(path)).map(({ path }) => path),
      [],
    )
    const own = opened.filter(({ path }) => /\.js$/.test(path) && !path.includes('/node_modules/'))
    t.ok(own.length <= OWN_FILES_MAX, `${own.length} files of our own are loaded before the first answer`)
    const readers = opened.filter(({ path }) => BINARY.test(path)).map(({ thread }) => thread)
    t.ok(readers.length >= 2, 'the binary is read, then loaded')
    t.equal(readers[0], lines[0].split(' ')[0], 'by the ledger thread first')
  },
)

t.test('a server thread loads its binary when the gate is open, not before', async t => {
  const gate = closedGate()
  const [worker] = launchThreads(1, gate)
  // A thread that was woken although the gate is closed waits again.
  await until(() => Atomics.notify(gate, 0) > 0)
  await until(() => Atomics.notify(gate, 0) > 0)
  t.notMatch(mapped(), BINARY_IN_MEMORY)
  openGate(gate)
  await until(() => BINARY_IN_MEMORY.test(mapped()))
  await worker.terminate()
})

t.test('a thread that waits for a binary that must not be loaded can be ended', async t => {
  const gate = closedGate()
  const [worker] = launchThreads(1, gate)
  await until(() => Atomics.notify(gate, 0) > 0)
  t.equal(await worker.terminate(), 1)
})
