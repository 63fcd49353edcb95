import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { namedIndex } from '../support/fixture-index.ts'
import { post } from '../support/post.ts'
import { postrie, postrieJson, startServer } from '../support/processes.ts'
import { until } from '../support/until.ts'

/** Writes an index in which 90210 is the place `name`, and renames it into `dir`. */
const putIndex = (dir: string, name: string) =>
  renameSync(namedIndex(join(dir, 'next'), name, 1), join(dir, 'index.postrie'))

t.test('a command or a SIGHUP reloads the index and refuses a bad one', async t => {
  const dir = t.testdir()
  putIndex(dir, 'First')
  const server = await startServer(dir)
  t.teardown(() => server.stop())
  const city = async () =>
    JSON.parse((await post(server.api, '/api/lookup', { apiKey: server.key, zipcode: '90210' })).text).city

  t.match(await postrieJson(dir, ['reload']), { outcome: 'same', codeCount: 1 })
  putIndex(dir, 'Second')
  const replaced = await postrie(dir, ['reload'])
  // A slow start of the command lets the server notice the file by itself.
  t.match(replaced, {
    code: 0,
    stdout: /^The server (now serves|already served) build [0-9a-f]+ with 1 codes\.$/m,
  })
  t.equal(await city(), 'Second', 'at once')

  putIndex(dir, 'Third')
  server.child.kill('SIGHUP')
  await until(() => server.output.stderr.split('"index replaced"').length === 3)
  t.equal(await city(), 'Third', 'after a signal')

  writeFileSync(join(dir, 'index.postrie'), 'no index')
  const refused = await postrie(dir, ['reload'])
  t.equal(refused.code, 1)
  t.match(refused.stdout, /The server still serves build .*: .*index\.postrie cannot be used\. .*expected/)
  t.equal(await city(), 'Third', 'the old one stays')
})

t.test('without a server, reload names the socket that it tried', async t => {
  const dir = t.testdir()
  t.match(await postrie(dir, ['reload']), {
    code: 6,
    stderr: /no server listens on .*control\.sock: set DATA_DIR/,
  })
})
