/** Errors of the system are said in words. */
import { mkdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { errorText } from '../../src/platform/terminal.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { postrie } from '../support/processes.ts'

t.test('commands printed calls of the system, some without a path, and no remedy', async t => {
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
    [['publish', join(dir, 'x'), '--sign', join(dir, 'none')], /none: there is no such file or folder/],
  ]
  for (const [command, stderr] of cases)
    t.match(await postrie(join(dir, 'data'), command, { INDEX_FILE }), { code: 1, stderr }, command.join(' '))
})

t.test('messages of our own stay, and a call without a path is named', async t => {
  const own = Object.assign(new Error('the folder is open to all'), { code: 'EACCES' })
  t.equal(errorText(own), 'the folder is open to all')
  t.equal(errorText(new Error('anything')), 'anything')
  const full = await open('/dev/full', 'w')
  t.teardown(() => full.close())
  const error = await full.write('x').catch((failure: Error) => failure)
  t.equal(
    errorText(error as Error),
    'the disk is full. Free some space, and run the command again (ENOSPC: no space left on device, write).',
  )
  const below = join(t.testdir({ file: 'x' }), 'file', 'below')
  const misplaced = await open(below, 'w').catch((failure: Error) => failure)
  t.equal(
    errorText(misplaced as Error),
    `${below}: a part of the path is not a folder. Check the name (ENOTDIR).`,
  )
})
