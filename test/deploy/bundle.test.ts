import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { CLI } from '../support/processes.ts'

const folder = dirname(CLI)

t.test('every bundled module finds its neighbours in the checkout', async t => {
  const bases = readdirSync(folder)
    .filter(name => name.endsWith('.js'))
    .flatMap(name => [
      ...readFileSync(join(folder, name), 'utf8').matchAll(/new URL\("([^"]+)", import\.meta\.url\)/g),
    ])
    .map(([, path]) => path)
  t.ok(bases.includes('./server-thread.js'), 'a server thread is bundled as well')
  t.ok(
    bases.some(path => path.endsWith('src/billing/fleet/fleet-schema.js')),
    'addresses are seen',
  )
  t.same(
    bases.filter(path => !existsSync(join(folder, path))),
    [],
  )
})

t.test('a stack trace names the source file and its line', async t => {
  const { stderr } = spawnSync(process.execPath, ['--enable-source-maps', CLI, 'lookup', '12345'], {
    encoding: 'utf8',
    env: { LOG_LEVEL: 'debug', INDEX_FILE: '/dev/null' },
  })
  const [, file = '', line = ''] = /at .*?(\/src\/[\w/-]+\.ts):(\d+):/.exec(stderr) ?? []
  t.ok(file !== '', stderr)
  const source = readFileSync(join(import.meta.dirname, '../../..', file), 'utf8').split('\n')
  t.ok(Number(line) <= source.length, `${file}:${line}`)
})

t.test('the command runs at its present and at its former path', async t => {
  for (const program of [CLI, join(import.meta.dirname, '../../src/cli.js')]) {
    const { status, error } = spawnSync(program, ['--help'])
    t.equal(status, 0, `${program} ${error ?? ''}`)
  }
})
