/** A supervisor signals npm, so the processes below `npm start` must end with npm. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { writeIndex } from '../support/fixture-index.ts'
import { command, readyServer } from '../support/processes.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Runs `npm start` on `dir`. Skips the compilation, which would overwrite files that other tests run. */
function npmStart(dir: string, env: NodeJS.ProcessEnv = {}) {
  const child = spawn('npm', ['start', '--ignore-scripts'], {
    cwd: ROOT,
    env: {
      ...{ PATH: process.env.PATH, HOME: dir, npm_config_update_notifier: 'false' },
      ...{ DATA_DIR: dir, PORT: '0', CONTROL_PORT: '0', ...env },
    },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', chunk => (output.stdout += chunk))
  child.stderr.on('data', chunk => (output.stderr += chunk))
  return { child, output, closed: once(child, 'close') as Promise<[number | null, string | null]> }
}

t.test('a SIGTERM for npm stops the server cleanly', async t => {
  const dir = t.testdir()
  writeIndex(dir)
  const { child } = npmStart(dir)
  t.teardown(() => child.kill('SIGKILL'))
  const { api, output, ended } = await readyServer(child)
  t.equal((await fetch(`${api}/healthz`)).status, 200)
  child.kill('SIGTERM')
  // The server inherits these outputs. They close when both processes have ended.
  await ended
  t.match(output.stderr, /"stopped"/, 'the server says that it stopped')
  await t.rejects(fetch(`${api}/healthz`), 'nobody listens')
  // The command would report a locked ledger or an open socket.
  t.match(await command(dir, ['ledger', 'verify']), { code: 0 })
})

t.test('a SIGTERM while the first index is built ends the builder too', async t => {
  const dir = t.testdir()
  const { child, output, closed } = npmStart(dir)
  t.teardown(() => child.kill('SIGKILL'))
  while (!output.stderr.includes('Building it')) await once(child.stderr, 'data')
  child.kill('SIGTERM')
  // The builder inherits the outputs, so they stay open while it lives.
  await closed
  t.notMatch(output.stdout, /data/, 'nothing was served')
  t.notOk(existsSync(join(dir, 'index.postrie')), 'nothing was built')
})

t.test('a start that fails ends npm with its exit code', async t => {
  const { output, closed } = npmStart(t.testdir(), { PORT: 'eighty' })
  const [code] = await closed
  t.not(code, 0)
  t.match(output.stderr, /PORT/)
})
