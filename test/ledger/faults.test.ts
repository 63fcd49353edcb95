/**
 * The real server on a disk that fails, fills up or cannot be written, and while it is stopped. Needs strace, and mount
 * rights for the small disks; what the machine does not allow is skipped and says so.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { EXIT } from '../../src/cli/exit.ts'
import { askServer } from '../../src/control/operator/operator-client.ts'
import { verifyLedger } from '../../src/ledger/tools/verify-ledger.ts'
import { until } from '../support/until.ts'
import { inspect, type PreparedKey, prepare } from './data-folder.ts'
import { Client, PIPELINED } from './load.ts'
import { DATA_PREFIX, ServerProcess } from './server-process.ts'

// Far beyond what it takes on an idle machine; a busy one must not fail.
t.setTimeout(600_000)

const ONE_KEY = { accounts: 1, keysPerAccount: 1, micros: 100_000_000 }

function makeFolder(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), DATA_PREFIX))
  t.teardown(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** A file system of 1 MB of its own. */
function mountSmallDisk(t: Test): string {
  const dir = makeFolder(t)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'tmpfs', dir])
  t.teardown(() => execFileSync('umount', ['-l', dir]))
  return dir
}

function canMount(): boolean {
  const dir = mkdtempSync(join(tmpdir(), DATA_PREFIX))
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'tmpfs', dir]).status === 0
  if (isMounted) execFileSync('umount', [dir])
  rmSync(dir, { recursive: true })
  return isMounted
}

/** Fills a disk but for `bytesLeft`. Returns the file to remove. */
function fill(dir: string, bytesLeft: number): string {
  const path = join(dir, 'filler')
  const { bavail, bsize } = statfsSync(dir)
  writeFileSync(path, new Uint8Array(Math.max(0, bavail * bsize - bytesLeft)))
  return path
}

/** Every answered query is charged, and no more than were sent; the ledger is not damaged. */
async function expectNothingLost(t: Test, dir: string, key: PreparedKey, client: Client): Promise<void> {
  const queries = (await inspect(dir)).queries.get(key.id) ?? 0
  t.ok(client.charged > 0, 'something was answered')
  t.ok(
    queries >= client.charged && queries <= client.charged + PIPELINED,
    `${queries} charged, ${client.charged} answered`,
  )
  const { status, problems } = await verifyLedger(dir)
  t.not(status, 'damaged', problems.join('; '))
}

const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0
const skipTrace = canTrace ? false : 'strace is missing or the kernel refuses ptrace'
const skipMount = canMount() ? false : 'mounting a small disk is not allowed here'

/** `when` counts the calls of one thread; Node has four for files. */
const INJECTIONS = {
  'EIO on a sync': ['fdatasync', 'error=EIO:when=12'],
  'EIO on every second sync': ['fdatasync', 'error=EIO:when=12+2'],
  'ENOSPC on a write': ['pwrite64', 'error=ENOSPC:when=12'],
  'EIO on a write': ['pwrite64', 'error=EIO:when=12'],
} as const

for (const [name, [call, fault]] of Object.entries(INJECTIONS)) {
  t.test(`${name}: the server ends, and nothing that it answered is lost`, { skip: skipTrace }, async t => {
    const dir = makeFolder(t)
    const [key] = (await prepare(dir, ONE_KEY)) as [PreparedKey]
    // The process stops for that call alone, and not for each that it makes.
    const filter = ['--seccomp-bpf', '-e', `trace=${call}`, '-e', `inject=${call}:${fault}`]
    const trace = ['strace', '-f', '-qq', '-o', '/dev/null', ...filter]
    const server = await new ServerProcess(dir, trace).ready()
    const client = new Client(key.secret)
    await client.flood(server.port)
    const { code } = await server.exit()
    t.equal(code, name.startsWith('ENOSPC') ? EXIT.unavailable : EXIT.failed)
    t.match(server.log, /the ledger cannot be written/)
    t.match(server.log, /EIO|ENOSPC/)
    await expectNothingLost(t, dir, key, client)

    const again = await new ServerProcess(dir).ready()
    await client.run(again.port, 10)
    t.same(await again.end('SIGTERM'), { code: 0, signal: null }, 'the next start works')
    await expectNothingLost(t, dir, key, client)
  })
}

t.test(
  'a disk that fills up: the server ends; with room again it starts, and nothing is lost',
  { skip: skipMount },
  async t => {
    const dir = mountSmallDisk(t)
    const [key] = (await prepare(dir, ONE_KEY)) as [PreparedKey]
    // A sync for nearly every batch of charges, which fills what is left soon.
    const server = await new ServerProcess(dir, [], { FLUSH_MS: '1' }).ready()
    const filler = fill(dir, 8192)
    const client = new Client(key.secret)
    await client.flood(server.port)
    const { code } = await server.exit()
    t.equal(code, EXIT.unavailable)
    t.match(server.log, /ENOSPC/)
    await expectNothingLost(t, dir, key, client)

    const refused = new ServerProcess(dir)
    await t.rejects(
      refused.ready(),
      /DATA_DIR .* has \d+ KB free, and a start needs 512 KB\. Free some space/,
    )
    t.match(await refused.exit(), { code: EXIT.unavailable }, 'at a start as well')
    const checked = new ServerProcess(dir, [], {}, ['--check'])
    t.match(await checked.exit(), { code: EXIT.unavailable }, 'and when a start is checked')
    rmSync(filler)
    const again = await new ServerProcess(dir).ready()
    await client.run(again.port, 10)
    await again.end('SIGTERM')
    await expectNothingLost(t, dir, key, client)
  },
)

t.test('a disk that cannot be written is refused at the start', { skip: skipMount }, async t => {
  const dir = mountSmallDisk(t)
  await prepare(dir, ONE_KEY)
  execFileSync('mount', ['-o', 'remount,ro', dir])
  await t.rejects(
    new ServerProcess(dir).ready(),
    /DATA_DIR .* cannot be written to: the file system is read-only\. Give it to/,
  )
})

t.test('a second server on the same folder is refused and names the first', async t => {
  const dir = makeFolder(t)
  const first = await new ServerProcess(dir).ready()
  await t.rejects(new ServerProcess(dir).ready(), new RegExp(`in use by process ${first.child.pid}`))
  t.same(await first.end('SIGTERM'), { code: 0, signal: null })
})

t.test('a stopped server goes on where it was', async t => {
  const dir = makeFolder(t)
  const [key] = (await prepare(dir, ONE_KEY)) as [PreparedKey]
  const server = await new ServerProcess(dir).ready()
  const client = new Client(key.secret)
  const load = client.run(server.port, 3000)
  await askServer(server.socketFile, 'account.list', {})
  server.child.kill('SIGSTOP')
  await until(() => isStopped(server.child.pid))
  const before = client.charged
  // Time for a thousand answers, had it not been stopped. What it sent before may still arrive.
  await once(spawn(process.execPath, ['-e', '0']), 'close')
  t.ok(client.charged <= before + PIPELINED, 'it answers nothing while it is stopped')
  server.child.kill('SIGCONT')
  await load
  t.equal(client.charged, 3000)
  await server.end('SIGKILL')
  t.equal((await inspect(dir)).queries.get(key.id), 3000)
})

/** Whether the kernel has stopped a process: state `T`, after the command in brackets. */
function isStopped(pid: number | undefined): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T')
}
