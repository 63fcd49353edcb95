/** The data plane in a process of its own, so that its event loop is measured apart from those who attack it. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Accounts } from '../../src/accounts/accounts.ts'
import { BulkPool } from '../../src/bulk/pool.ts'
import { BulkWorkers } from '../../src/bulk/workers.ts'
import { Connections } from '../../src/http/connections.ts'
import { createApp } from '../../src/http/routes.ts'
import { listen, portOf } from '../../src/http/threads/listen.ts'
import { QUERY_PRICE_MICROS } from '../../src/limits.ts'
import { fixtureIndex } from '../support/fixture-index.ts'
import { PauseWatch } from '../support/pauses.ts'
import type { Started, Stats } from './target.ts'

const dir = mkdtempSync(join(tmpdir(), 'postrie-hostile-'))
process.on('exit', () => rmSync(dir, { recursive: true, force: true }))

const index = fixtureIndex(dir)
const accounts = await Accounts.open({ dir, freeAnswersMax: 1_000_000_000 })
const bulk = new BulkPool(index, new BulkWorkers(1))
const errors: string[] = []
const { app, replies, bodies } = createApp({
  service: { index, meter: accounts },
  bulk,
  connections: new Connections({ max: 5000, perAddressMax: 5000 }, async () => null),
  report: error => errors.push(String(error)),
  notReady: () => [],
  // Many a body here has a damaged key.
  keyFailuresMax: Number.POSITIVE_INFINITY,
})
/** The account of requests that are meant, and that of requests that must never be executed. */
const keys = await Promise.all(['honest', 'smuggled'].map(name => openAccount(name)))
const spent = (): number[] => keys.map(({ id }) => accounts.key(id)?.spentMicros ?? Number.NaN)
const pauses = new PauseWatch(() => spent().reduce((sum, micros) => sum + micros) / QUERY_PRICE_MICROS)

async function openAccount(name: string): Promise<{ id: string; key: string }> {
  const { id } = await accounts.createAccount({ email: `${name}@example.org` })
  await accounts.credit({ account: id, micros: 1_000_000_000, reference: name, kind: 'test' })
  return accounts.createKey(id)
}

function stats(): Stats {
  const [spentMicros, smuggledMicros] = spent()
  const { takenBack } = replies.unsent
  return {
    spentMicros,
    smuggledMicros,
    errors,
    pauses: pauses.take(),
    takenBack,
    heldBytes: bodies.heldBytes,
  }
}

process.on('message', async message => {
  if (message === 'stats') process.send?.(stats())
  else {
    app.close()
    await bulk.close()
    await accounts.close()
    process.exit()
  }
})
// A test that failed must not leave its server behind.
process.on('disconnect', () => process.exit())

const port = portOf(await listen(app, '127.0.0.1', 0, false))
process.send?.({ port, key: keys[0].key, smuggledKey: keys[1].key } satisfies Started)
