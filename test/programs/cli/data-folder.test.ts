import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { expectUsableFolder, START_DISK_BYTES } from '../../../src/programs/cli/data-folder.ts'
import { writeIndex } from '../../support/fixture-index.ts'
import { postrie } from '../../support/processes.ts'
import { pathOf } from '../../support/programs.ts'
import { needsMount, smallDisk } from '../../support/small-disk.ts'

const ANY_PORTS = { PORT: '0', CONTROL_PORT: '0' }

t.test('a file or a broken link as DATA_DIR is refused with a remedy', async t => {
  const dir = t.testdir({ file: 'x' })
  symlinkSync(join(dir, 'nowhere'), join(dir, 'broken'))
  const settings = { ...ANY_PORTS, INDEX_FILE: writeIndex(dir) }
  const cases = [
    ['file', /DATA_DIR \S+file is not a folder\. Set DATA_DIR/],
    ['broken', /DATA_DIR \S+broken is a link to \S+nowhere, which does not exist\. Set DATA_DIR/],
    ['file/below', /DATA_DIR \S+below cannot be created: \S+file is not a folder\. Set DATA_DIR/],
  ] as const
  const commands = [['serve'], ['account', 'create', 'ada@example.com']]
  await Promise.all(
    cases.flatMap(([path, stderr]) =>
      commands.map(async command =>
        t.match(await postrie(join(dir, path), command, settings), { code: 1, stderr }, `${command} ${path}`),
      ),
    ),
  )
  t.notOk(existsSync(join(dir, 'nowhere')))
})

const dataFolderProblem = (dataDir: string) =>
  expectUsableFolder({ dataDir, indexFile: join(dataDir, 'index.postrie') }).then(
    () => null,
    ({ message }) => message,
  )

t.test('a check reports a read-only and a full DATA_DIR', needsMount, async t => {
  const folder = smallDisk(t, START_DISK_BYTES + 1024 * 1024)
  const [existing, missing] = [join(folder, 'existing'), join(folder, 'missing')]
  mkdirSync(existing, { mode: 0o700 })
  t.equal(await dataFolderProblem(existing), null)
  t.equal(await dataFolderProblem(missing), null)
  writeFileSync(join(folder, 'filler'), Buffer.alloc(1024 * 1024 + 64 * 1024))
  t.match(await dataFolderProblem(existing), /has 4\d\d KB free, and a start needs 512 KB\. Free some space/)
  const settings = { ...ANY_PORTS, INDEX_FILE: writeIndex(t.testdir()) }
  for (const command of [['serve'], ['serve', '--check']])
    t.match(await postrie(existing, command, settings), { code: 6, stderr: /Free some space/ })
  spawnSync(pathOf('mount'), ['-o', 'remount,ro', folder])
  t.match(await dataFolderProblem(existing), /cannot be written to: the file system is read-only\. /)
  t.match(await dataFolderProblem(missing), /cannot be created in \S+: the file system is read-only\. /)
  for (const command of [['serve'], ['serve', '--check']])
    t.match(await postrie(missing, command, settings), { code: 1, stderr: /file system is read-only/ })
  const unwritable = { ...ANY_PORTS, INDEX_FILE: join(folder, 'index.postrie') }
  t.match(
    await postrie(t.testdir(), ['serve'], unwritable),
    {
      code: 1,
      stderr: /^postrie: INDEX_FILE \S+ cannot be created in \S+: the file system is read-only\. [^\n]*\n$/,
    },
    'before the index is built',
  )
})
