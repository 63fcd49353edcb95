import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { writeIndex } from '../support/fixture-index.ts'
import { commandIn, startServer } from '../support/processes.ts'
import { without } from '../support/programs.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const DOCUMENT = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8')
const BLOCK = /^```sh\n([\s\S]*?)^```/gm

const commands = Array.from(DOCUMENT.matchAll(BLOCK), match => match[1].trimEnd().split('\n')).flat()

t.test('every command of docs/operating.md succeeds', { skip: without('curl') }, async t => {
  t.ok(commands.length > 8)
  const folder = t.testdir({ bin: {}, data: {} })
  const dataDir = join(folder, 'data')
  writeIndex(dataDir)
  const path = commandIn(join(folder, 'bin'))
  const server = await startServer(dataDir)
  t.teardown(() => server.stop())
  for (const command of commands) {
    const own = command
      .replaceAll('http://127.0.0.1:8080', server.api)
      .replaceAll('http://127.0.0.1:8081', server.dashboard)
    const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', own], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: path, DATA_DIR: dataDir, PORT: '0', CONTROL_PORT: '0' },
    })
    t.equal(status, 0, command)
    if (status !== 0) t.comment(stdout, stderr)
    else t.not(stdout, '', 'it says something')
  }
})
