import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { writeIndex } from '../../../support/fixture-index.ts'
import { post } from '../../../support/post.ts'
import { startServer } from '../../../support/processes.ts'
import { until } from '../../../support/until.ts'

t.setTimeout(120_000)

/** Runs in every thread before its own code. Thread 1 runs `code` once the file `go` exists. */
const preload = (code: string) => `
const { isMainThread, workerData } = require('node:worker_threads')
const { existsSync } = require('node:fs')
if (!isMainThread && workerData?.number === 1) {
  const timer = setInterval(() => {
    if (!existsSync(__dirname + '/go')) return
    clearInterval(timer)
    ${code}
  }, 10)
  timer.unref()
}`

async function startPreloaded(t: Test, folder: string, code: string) {
  writeIndex(folder)
  writeFileSync(join(folder, 'preload.cjs'), preload(code))
  const server = await startServer(folder, {
    HTTP_THREADS: '3',
    NODE_OPTIONS: `--require ${join(folder, 'preload.cjs')}`,
  })
  // An endless thread must not outlive a failed test.
  t.teardown(() => server.child.kill('SIGKILL'))
  const { status } = await post(server.api, '/api/lookup', { apiKey: server.key, zipcode: '90210' })
  return { server, status, go: () => writeFileSync(join(folder, 'go'), '') }
}

t.test('an error in a thread ends the process with exit code 1', async t => {
  const { server, status, go } = await startPreloaded(t, t.testdir(), "throw new Error('boom')")
  t.equal(status, 200)
  const ended = new Promise(resolve => server.child.on('close', resolve))
  go()
  t.equal(await ended, 1)
  t.match(server.output.stderr, /server thread 1 died: boom/)
})

t.test('a thread that hangs after an error is ended with the process', async t => {
  const folder = t.testdir()
  const { server, go } = await startPreloaded(
    t,
    folder,
    "require('node:fs').writeFileSync(__dirname + '/stuck', ''); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
  )
  go()
  await until(() => existsSync(join(folder, 'stuck')))
  const code = await server.stop()
  t.equal(code, 1)
  t.match(server.output.stderr, /server threads do not end/)
})
