import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { writeIndex } from '../../support/fixture-index.ts'
import { postrie } from '../../support/processes.ts'

t.test('system errors are explained with path and remedy', async t => {
  const dir = t.testdir({ file: 'x' })
  const file = join(dir, 'file')
  const INDEX_FILE = writeIndex(dir)
  mkdirSync(join(dir, 'data'))
  const cases: [string[], RegExp][] = [
    [
      ['publish', file],
      /^postrie: \S+file: something else has that name\. Name another place \(EEXIST\)\.\n$/,
    ],
    [
      ['check', join(dir, 'none')],
      /^postrie: \S+none: there is no such file or folder\. Check the name \(ENOENT\)/,
    ],
    // A recursive mkdir of Node.js never ends there.
    [['publish', '/proc/x'], /^postrie: \/proc\/x: /],
    [['publish', join(dir, 'x'), '--sign', join(dir, 'none')], /none: there is no such file or folder/],
  ]
  await postrie(join(dir, 'data'), ['account', 'create', 'ada@example.com'])
  cases.push([['backup', '/proc/x'], /^postrie: .*\/proc\/x/])
  for (const [command, stderr] of cases)
    t.match(await postrie(join(dir, 'data'), command, { INDEX_FILE }), { code: 1, stderr }, command.join(' '))
})
