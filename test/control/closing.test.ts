/** An operator socket that cannot be made leaves nothing open. */
import { mkdirSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { listenToOperator } from '../../src/control/operator/operator-socket.ts'
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
