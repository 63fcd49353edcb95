/** A process like `postrie serve` whose data plane only charges. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Accounts } from '../../src/billing/accounts/accounts.ts'
import type { Unpaid } from '../../src/billing/accounts/charging/charging.ts'
import { readConfig } from '../../src/platform/settings/config.ts'
import { runServer } from '../../src/programs/cli/run-server.ts'
import { LEASE_WAIT_MS_MAX } from '../../src/service/api/lease-waits.ts'
import type { StartDataPlane } from '../../src/service/data-plane.ts'
import { authenticate } from './accounts.ts'
import { idleDataPlane } from './idle-data-plane.ts'

/** Charges again while a node of a fleet has to lease first. */
async function refusalOf({ charging }: Accounts, attempt: () => Unpaid | number | null) {
  for (;;) {
    const refusal = attempt()
    if (refusal === null || typeof refusal !== 'object') return refusal
    if (!(await charging.waitForLease(refusal, LEASE_WAIT_MS_MAX))) return refusal
  }
}

/** Answers every POST with 200, 401, 402 or 429, depending on the key in its JSON body. */
const startFakeDataPlane: StartDataPlane = async ({ config, accounts: opening }) => {
  const accounts = await opening
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { apiKey = '' } = JSON.parse(Buffer.concat(chunks).toString() || '{}') as { apiKey?: string }
    const key = authenticate(accounts, apiKey)
    const wait = key && (await refusalOf(accounts, () => accounts.charging.takeFromLimits(key, 1)))
    const unpaid = key && (wait ?? (await refusalOf(accounts, () => accounts.charging.charge(key, 0, 1))))
    const status = key === undefined ? 401 : wait !== null ? 429 : unpaid === null ? 200 : 402
    response.writeHead(status, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ retryAfter: wait, balance: (key?.account.availableMicros ?? 0) / 1e6 }))
  })
  await new Promise<void>(resolve => server.listen(config.port, config.host, resolve))
  return {
    ...idleDataPlane(config.dataDir),
    port: (server.address() as AddressInfo).port,
    close: () => new Promise(resolve => server.close(() => resolve())),
  }
}

process.exitCode = await runServer(readConfig(process.env), startFakeDataPlane)
