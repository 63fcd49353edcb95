/**
 * What a shorter FLUSH_MS costs: lookups over 64 connections on servers that differ in nothing else, in turn. Needs wrk.
 *
 *   INDEX_FILE=data/index.postrie node dist/bench/http/scale-flush.js [seconds per turn] [turns] [server threads]
 */
import { openIndex } from '../../src/index/open-index.ts'
import { inTurn } from '../rounds.ts'
import { ratioOf, type Spread } from '../statistics.ts'
import { writeBodies } from './bodies.ts'
import { load, P99, PROCESSOR, REQUESTS } from './load.ts'
import { Server } from './server.ts'

const FLUSH_MS = [50, 5, 2, 1]
const CONNECTIONS = 64
const SYNCS = 'syncs/s'

const [seconds = 2, turns = 7, threads = 1] = process.argv.slice(2).map(Number)
const { INDEX_FILE: indexFile = 'data/index.postrie' } = process.env

const { lookup } = writeBodies(openIndex(indexFile))
const servers: Record<string, Server> = {}
for (const flushMs of FLUSH_MS)
  servers[flushMs] = await Server.start('postrie', { indexFile, threads, env: { FLUSH_MS: String(flushMs) } })
const contenders = Object.entries(servers).map(([name, server]) => [name, () => sample(server)] as const)
const taken = await inTurn(Object.fromEntries(contenders), turns)

const first = `${FLUSH_MS[0]}`
for (const flushMs of FLUSH_MS) {
  const spreads: Record<string, Spread> = taken[flushMs]
  const ratio = (unit: string) => ratioOf(spreads[unit], taken[first][unit]).toFixed(3)
  console.log(
    `FLUSH_MS=${flushMs}:`,
    [SYNCS, REQUESTS, PROCESSOR, P99].map(unit => `${spreads[unit].median.toFixed(1)} ${unit}`).join(', '),
    `| of ${first}: requests/s ${ratio(REQUESTS)}, processor time ${ratio(PROCESSOR)}, p99 ${ratio(P99)}`,
  )
}
for (const server of Object.values(servers)) await server.end()

async function sample(server: Server): Promise<Record<string, number>> {
  const before = await syncs(server)
  const loaded = await load(server, 'lookup', CONNECTIONS, lookup.file, seconds)
  return { ...loaded, [SYNCS]: ((await syncs(server)) - before) / seconds }
}

/** How many syncs there have been. */
async function syncs({ controlPort }: Server): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${controlPort}/metrics`)).text()
  return Number(/^postrie_ledger_syncs_total (\d+)/m.exec(text)?.[1] ?? Number.NaN)
}
