/**
 * A first start within a bound on memory, which a control group keeps: `FIRST_START_MB=512 node dist/test/operate/first-start.test.js`.
 * Needs root and the memory controller, and builds an index, so only the nightly run has it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { bundleInto } from '../support/bundled.ts'
import { post } from '../support/post.ts'

const MEGABYTE = 1024 * 1024
const megabytes = Number(process.env.FIRST_START_MB ?? 0)

/** Names of the files of the first and the second version of control groups. */
const CONTROLLERS = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', peak: 'memory.max_usage_in_bytes' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', peak: 'memory.peak' },
]

t.setTimeout(1_800_000)

t.test('the index is built and served', { skip: megabytes === 0 && 'FIRST_START_MB is not set' }, async t => {
  const controller = CONTROLLERS.find(({ root }) => existsSync(join(root, 'cgroup.procs')))
  if (controller === undefined) throw new Error('this system has no memory controller at /sys/fs/cgroup')
  const group = join(controller.root, `postrie-first-start-${process.pid}`)
  const dir = mkdtempSync(join(tmpdir(), 'postrie-first-start-'))
  const cli = bundleInto(t.testdir())
  mkdirSync(group)
  writeFileSync(join(group, controller.limit), String(megabytes * MEGABYTE))
  const child = spawn(
    'sh',
    ['-c', `echo $$ >"${group}/cgroup.procs" && exec "$0" "${cli}" serve`, process.execPath],
    {
      env: { PATH: process.env.PATH, DATA_DIR: dir, PORT: '0', CONTROL_PORT: '0' },
    },
  )
  const closed = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await closed
    rmSync(dir, { recursive: true })
    rmdirSync(group)
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', chunk => (output += chunk))
  child.stderr.on('data', chunk => (errors += chunk))
  while (!/^ {2}data .*\n/m.test(output)) {
    await Promise.race([once(child.stdout, 'data'), closed])
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(errors.slice(-2000))
  }
  const [, api = ''] = /API +(\S+)/.exec(output) ?? []
  const [apiKey] = /pk_live_\w+/.exec(output) ?? []
  t.match((await post(api, '/api/lookup', { apiKey, zipcode: '90210' })).text, '"city":"Beverly Hills"')
  const peak = Number(readFileSync(join(group, controller.peak), 'utf8'))
  t.comment(`at most ${Math.round(peak / MEGABYTE)} of ${megabytes} MB, files that were read included`)
  child.kill('SIGTERM')
  t.same(await closed, [0, null])
})
