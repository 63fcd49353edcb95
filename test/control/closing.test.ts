/** A start that fails in the middle leaves nothing open. */
import { mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { AuditFiles } from '../../src/control/audit/audit-files.ts'
import { AuditLog } from '../../src/control/audit/audit-log.ts'
import { listenToOperator } from '../../src/control/operator/operator-socket.ts'
import { closeAll } from '../../src/platform/close-all.ts'
import { createLog } from '../../src/platform/log.ts'

const skip = process.platform !== 'linux' && 'open files are listed as Linux does'

const log = createLog('fatal')

/** What this process has open in `folder`, or the folder itself. */
function openIn(folder: string): string[] {
  const links = readdirSync('/proc/self/fd').map(fd => {
    try {
      return readlinkSync(join('/proc/self/fd', fd))
    } catch {
      return ''
    }
  })
  return links.filter(path => path.startsWith(folder))
}

t.test('a list of closes ended at the first that failed', async t => {
  const done: number[] = []
  const closing = closeAll(
    () => done.push(1),
    async () => {
      throw new Error('the second')
    },
    () => {
      throw new Error('the third')
    },
    async () => done.push(4),
  )
  await t.rejects(closing, { message: 'the second' })
  t.same(done, [1, 4])
})

t.test('an audit log with a file that cannot be opened kept the others open', { skip }, async t => {
  const dir = t.testdir()
  const folder = join(dir, 'audit')
  mkdirSync(join(folder, '00000002.jsonl'), { recursive: true })
  writeFileSync(join(folder, '00000001.jsonl'), '')
  await t.rejects(AuditFiles.open(folder), { code: 'EISDIR' })
  await t.rejects(AuditLog.open(dir, { error: () => {} }), { code: 'EISDIR' })
  t.same(openIn(folder), [])
})

t.test('an operator socket that cannot be made kept its folder open', { skip }, async t => {
  // Longer than a name of a socket may be, so its folder is opened.
  const folder = join(t.testdir(), 'x'.repeat(60), 'y'.repeat(60))
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'control.sock')
  const first = await listenToOperator(file, async () => null, log)
  t.equal(openIn(folder).length, 1)
  const tooLong = join(folder, `${'z'.repeat(100)}.sock`)
  await t.rejects(listenToOperator(tooLong, async () => null, log))
  t.equal(openIn(folder).length, 1, 'that of the first alone')
  await first.close()
  t.same(openIn(folder), [])
})
