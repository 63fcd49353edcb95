/** The death of one thread is the death of all: the process ends with exit code 1, also when a thread does not end by itself. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { writeIndex } from '../../support/fixture-index.ts'
import { post } from '../../support/post.ts'
import { startServer } from '../../support/processes.ts'
import { until } from '../../support/until.ts'

// On a machine that does other work as well.
t.setTimeout(120_000)

/** Runs in every thread before its own code; thread 1 does `what` once the file `go` exists. */
const preload = (what: string) => `
const { isMainThread, workerData } = require('node:worker_threads')
const { existsSync } = require('node:fs')
if (!isMainThread && workerData?.number === 1) {
  const timer = setInterval(() => {
    if (!existsSync(__dirname + '/go')) return
    clearInterval(timer)
    ${what}
  }, 10)
  timer.unref()
}`

async function startPreloaded(t: Test, folder: string, what: string) {
  writeIndex(folder)
  writeFileSync(join(folder, 'preload.cjs'), preload(what))
  const server = await startServer(folder, {
    HTTP_THREADS: '3',
    NODE_OPTIONS: `--require ${join(folder, 'preload.cjs')}`,
  })
  // A thread that runs for ever must not outlive a test that fails.
  t.teardown(() => server.child.kill('SIGKILL'))
  const { status } = await post(server.api, '/api/lookup', { apiKey: server.key, zipcode: '90210' })
  return { server, status, go: () => writeFileSync(join(folder, 'go'), '') }
}

t.test('a thread that dies of an error ends the process with 1', async t => {
  const { server, status, go } = await startPreloaded(t, t.testdir(), "throw new Error('boom')")
  t.equal(status, 200)
  const ended = new Promise(resolve => server.child.on('close', resolve))
  go()
  t.equal(await ended, 1)
  t.match(server.output.stderr, /server thread 1 died: boom/)
})

t.test('a thread that does not end is ended with the process, with 1', async t => {
  const folder = t.testdir()
  const { server, go } = await startPreloaded(
    t,
    folder,
    "require('node:fs').writeFileSync(__dirname + '/stuck', ''); for (;;);",
  )
  go()
  await until(() => existsSync(join(folder, 'stuck')))
  const code = await server.stop()
  t.equal(code, 1)
  t.match(server.output.stderr, /server threads do not end/)
})
