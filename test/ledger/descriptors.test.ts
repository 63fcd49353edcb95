import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { ledgerFolder, listLedger } from '../../src/ledger/disk/files.ts'
import { nodeFileSystem } from '../../src/ledger/disk/node-file-system.ts'
import { verifyLedger } from '../../src/ledger/tools/verify.ts'

const PROCESS = fileURLToPath(new URL('./few-descriptors.js', import.meta.url))
const CREDITS = 200

t.test('a process without file descriptors goes on writing beyond the end of its segment', async t => {
  const dir = t.testdir()
  const command = `ulimit -n 64 && exec "${process.execPath}" "${PROCESS}" "${dir}" ${CREDITS}`
  const found = JSON.parse(execFileSync('sh', ['-c', command], { encoding: 'utf8' }))
  t.same(found.failures, [])
  t.equal(found.balance, 28_000 + 10 * CREDITS)
  t.ok(found.taken > 10, `${found.taken} descriptors were taken`)
  t.ok(
    (await listLedger(nodeFileSystem, ledgerFolder(dir))).segments.length >= 2,
    'the next segment was ready',
  )
  t.match(await verifyLedger(dir), { status: 'sound', balanceMicros: found.balance })
})
