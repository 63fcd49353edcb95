/** The product: its data plane with everything switched on, put together as `postrie serve` does it. */
import { BulkPool } from '../../../src/bulk/pool.ts'
import { createApp } from '../../../src/http/routes.ts'
import { openIndex } from '../../../src/index/postal-index.ts'
import { openAccounts } from '../accounts.ts'
import type { Start } from '../setup.ts'
import { listen } from './uws-listen.ts'

const BULK_WORKERS = 1

export const startPostrie: Start = async ({ indexFile, port }) => {
  const index = openIndex(indexFile)
  const { accounts, apiKey } = await openAccounts()
  const pool = new BulkPool(index, BULK_WORKERS)
  await listen(createApp({ index, meter: accounts }, pool, console.error), port)
  return { apiKey }
}
