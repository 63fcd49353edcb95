/** Runs a PostgreSQL for benchmarks (`node dist/test/support/serve-postgres.js`) and prints its address. SIGINT or SIGTERM removes it. */
import { TestPostgres } from './postgres.ts'

const settings = { shared_buffers: "'512MB'", max_wal_size: "'4GB'", checkpoint_timeout: "'15min'" }
const server = await TestPostgres.start({ isDurable: true, settings })
console.log(server.url)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void server.stop().then(() => process.exit(0)))
}
setInterval(() => {}, 60_000)
