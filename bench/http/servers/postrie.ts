/** The product: the whole server as `postrie serve` starts it, with ledger, control plane and bulk workers. */

import { startDataPlane } from '../../../src/http/data-plane.ts'
import { endNow } from '../../../src/platform/libc.ts'
import { createLog } from '../../../src/platform/log.ts'
import { startServer } from '../../../src/server.ts'
import { readConfig } from '../../../src/settings/config.ts'
import { prepareLedger } from '../accounts.ts'
import type { Start } from '../setup.ts'

export const startPostrie: Start = async ({
  indexFile,
  port,
  threads = 1,
  accounts = 1,
  dataFolder,
  env = {},
}) => {
  const { dir, apiKey, apiKeys } =
    dataFolder === undefined ? await prepareLedger(accounts) : { dir: dataFolder, apiKey: '', apiKeys: [] }
  const config = readConfig({
    PORT: String(port),
    CONTROL_PORT: '0',
    DATA_DIR: dir,
    INDEX_FILE: indexFile,
    LOG_LEVEL: 'error',
    HTTP_THREADS: String(threads),
    // One worker besides the server's own thread: wrk leaves two cores, and each gets one of them.
    BULK_WORKERS: '1',
    ...env,
  })
  // A benchmark that failed ends this process while its threads still serve, which Node.js would abort.
  process.once('exit', () => endNow(0))
  const server = await startServer(config, startDataPlane, createLog(config.logLevel))
  const { entrance, controlPort } = server
  return { apiKey, apiKeys, entrance, controlPort, socketFile: config.socketFile, stop: () => server.close() }
}
