/** The data plane in this process, on fixture data: for what must be seen or held from inside. */
import uws from 'uWebSockets.js'
import type { Test } from 'tap'
import { Accounts } from '../../src/accounts/accounts.ts'
import type { Service } from '../../src/api/service.ts'
import { BulkPool } from '../../src/bulk/pool.ts'
import { LatencySample } from '../../src/http/latency.ts'
import { createApp } from '../../src/http/routes.ts'
import type { PostalIndex } from '../../src/index/postal-index.ts'
import { fixtureIndex } from './fixture-index.ts'

export interface TestApp {
  port: number
  baseUrl: string
  /** Of an account with the free queries. */
  key: string
  service: Service
  bulk: BulkPool
  /** What `createApp` reported. */
  errors: unknown[]
  /** Micro-dollars that the key has spent. */
  spentMicros(): number
}

/** @param makePool the pool of bulk workers; by default one worker */
export async function startApp(
  t: Test,
  makePool: (index: PostalIndex) => BulkPool = index => new BulkPool(index, 1),
): Promise<TestApp> {
  const folder = t.testdir()
  const index = fixtureIndex(folder)
  const meter = await Accounts.open({ dir: folder })
  const { id } = await meter.createAccount({ email: 'test@example.com' })
  const { id: keyId, key } = await meter.createKey(id)
  const bulk = makePool(index)
  const service: Service = { index, meter }
  const errors: unknown[] = []
  const app = createApp(service, bulk, new LatencySample(), error => errors.push(error))
  const port = await new Promise<number>(resolve => {
    app.listen('127.0.0.1', 0, socket => resolve(uws.us_socket_local_port(socket)))
  })
  t.teardown(async () => {
    app.close()
    await bulk.close()
    await meter.close()
  })
  return {
    port,
    baseUrl: `http://127.0.0.1:${port}`,
    key,
    service,
    bulk,
    errors,
    spentMicros: () => meter.key(keyId)?.spentMicros ?? Number.NaN,
  }
}
