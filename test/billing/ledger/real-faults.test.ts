/** Needs strace, and mount rights for the small disk. Tests that the machine does not allow are skipped. */
import { rmSync } from 'node:fs'
import t, { type Test } from 'tap'
import { verifyLedger } from '../../../src/billing/ledger/tools/verify-ledger.ts'
import { EXIT } from '../../../src/platform/exit.ts'
import { readyServer, spawnServer } from '../../support/processes.ts'
import { pathOf, withoutTracing } from '../../support/programs.ts'
import { fillDisk, needsMount, smallDisk } from '../../support/small-disk.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { FLOOD_CONNECTIONS, flood, inspect, type PreparedKey, prepare, SERVED } from './data-folder.ts'

t.setTimeout(600_000)

const START_MICROS = 100_000_000

/** Checks that every answered query is charged, at most the sent ones, and that the ledger is sound. */
async function expectNothingLost(t: Test, dir: string, key: PreparedKey, answered: number): Promise<void> {
  const queries = (await inspect(dir)).get(key.id) ?? 0
  t.ok(answered > 0, 'something was answered')
  t.ok(queries >= answered && queries <= answered + FLOOD_CONNECTIONS, `${queries} for ${answered} answered`)
  const { status, problems } = await verifyLedger(dir)
  t.not(status, 'damaged', problems.join('; '))
}

/** Checks that the next start answers and leaves a sound ledger. */
async function expectGoesOn(t: Test, dir: string, key: PreparedKey, answered: number): Promise<void> {
  await expectNothingLost(t, dir, key, answered)
  const server = await readyServer(spawnServer(dir, SERVED))
  const more = await flood(server, key.secret, 10)
  t.equal(await server.stop(), 0, 'the next start works')
  await expectNothingLost(t, dir, key, answered + more)
}

const skip = withoutTracing()

t.test('after an EIO on a sync, the server ends and keeps every answered query', { skip }, async t => {
  const dir = temporaryFolder(t)
  const key = await prepare(dir, START_MICROS)
  // The process stops for that call alone. `when` counts the calls of one thread. Node.js has four threads for files.
  const filter = ['--seccomp-bpf', '-e', 'trace=fdatasync', '-e', 'inject=fdatasync:error=EIO:when=12']
  const wrapper = [pathOf('strace'), '-f', '-qq', '-o', '/dev/null', ...filter]
  const server = await readyServer(spawnServer(dir, SERVED, { wrapper }))
  const answered = await flood(server, key.secret)
  t.equal(await server.ended, EXIT.failed)
  t.match(server.output.stderr, /the ledger cannot be written/)
  t.match(server.output.stderr, /EIO/)
  await expectGoesOn(t, dir, key, answered)
})

t.test('a full disk ends the server, and with room again it starts without loss', needsMount, async t => {
  const dir = smallDisk(t, 1024 * 1024)
  const key = await prepare(dir, START_MICROS)
  // Nearly every batch of charges is synced, which fills the disk soon.
  const server = await readyServer(spawnServer(dir, { ...SERVED, FLUSH_MS: '1' }))
  const filler = fillDisk(dir, 8192)
  const answered = await flood(server, key.secret)
  t.equal(await server.ended, EXIT.unavailable)
  t.match(server.output.stderr, /ENOSPC/)
  rmSync(filler)
  await expectGoesOn(t, dir, key, answered)
})
