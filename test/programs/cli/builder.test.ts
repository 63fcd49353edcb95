import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { SETTINGS } from '../../../src/platform/settings/settings.ts'
import { writeIndex } from '../../support/fixture-index.ts'
import { CLI, postrie } from '../../support/processes.ts'

t.test('the builder runs without the secrets of the service', async t => {
  const dir = t.testdir()
  const seen = join(dir, 'seen.json')
  const spy = join(dir, 'spy.mjs')
  writeFileSync(
    spy,
    `import { writeFileSync } from 'node:fs'
     if (process.argv[1].includes('build-index')) writeFileSync(${JSON.stringify(seen)}, JSON.stringify(process.env))`,
  )
  const others = ['OIDC_ACME_CLIENT_SECRET', 'POSTRIE_API_KEY', 'POSTRIE_MCP_TOKEN', 'PGPASSWORD']
  const secrets = Object.fromEntries([...Object.keys(SETTINGS), ...others].map(name => [name, 'hunter2']))
  const kept = {
    INDEX_FILE: writeIndex(dir),
    DATA_DIR: dir,
    BUILD_THREADS: '1',
    LOG_LEVEL: 'info',
    NO_COLOR: '1',
    HTTPS_PROXY: 'http://127.0.0.1:9',
  }
  const { code, stderr } = await postrie(dir, ['coverage'], {
    ...secrets,
    ...kept,
    NODE_OPTIONS: `--import=${spy}`,
  })
  t.equal(code, 0, stderr)
  const environment = readFileSync(seen, 'utf8')
  t.notMatch(environment, 'hunter2')
  t.match(JSON.parse(environment), kept, 'the other variables are unchanged')
})

t.test('a build ends when its server is killed', async t => {
  const env = { PATH: process.env.PATH, DATA_DIR: t.testdir() }
  const server = spawn(process.execPath, [CLI, 'serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  server.stderr.resume()
  const children = `/proc/${server.pid}/task/${server.pid}/children`
  while (readFileSync(children, 'utf8') === '') await setImmediate()
  server.kill('SIGKILL')
  // The builder has the other end of the same pipe.
  await once(server, 'close')
  t.equal(server.signalCode, 'SIGKILL')
})

t.test('the builder explains a full disk and a closed pipe', async t => {
  const dir = t.testdir()
  const program = `"${process.execPath}" "${CLI}"`
  const shell = (command: string) =>
    spawnSync('bash', ['-c', `set -o pipefail; ${command}`], {
      encoding: 'utf8',
      // With a pipe on standard input, bash takes itself for a remote shell and reads its start-up files.
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, INDEX_FILE: writeIndex(dir) },
    })
  const full = shell(`${program} coverage > /dev/full`)
  t.match(full, { status: 6, stderr: /^postrie: standard output cannot be written: ENOSPC[^\n]*\n$/ })
  t.match(shell(`${program} coverage --json | true`), { status: 0, stderr: /^$/ })
})
