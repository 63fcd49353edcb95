/**
 * How long a start takes when nothing shortens the replay: 10 million usage entries, no snapshot, no meter.
 *
 *   node dist/bench/ledger-recovery.js [entries] [entries per frame] [keys]
 *
 * One entry per frame is the worst case, a service with one busy key at a time; a frame of 20 keys is a busy service.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ledgerFolder, listLedger } from '../src/ledger/disk/files.ts'
import { nodeFileSystem } from '../src/ledger/disk/node-file-system.ts'
import { encodePayload, type LedgerEvent } from '../src/ledger/event.ts'
import { SegmentLog } from '../src/ledger/log/segment-log.ts'
import { recover } from '../src/ledger/recover.ts'
import { QUERY_PRICE_MICROS } from '../src/limits.ts'

const [entries = 10_000_000, perFrame = 1, keys = 100] = process.argv.slice(2).map(Number)
const FLUSH_MS = 5
/** Frames appended between two waits for the disk. */
const FRAMES_PER_BATCH = 20_000

const dir = await mkdtemp(join(tmpdir(), 'postrie-recovery-'))
const folder = ledgerFolder(dir)
try {
  await write()
  await measure()
} finally {
  await rm(dir, { recursive: true })
}

async function write(): Promise<void> {
  await nodeFileSystem.makeFolder(folder)
  const fail = (error: Error): never => {
    throw error
  }
  let timeMs = Date.UTC(2026, 0, 1)
  const log = await SegmentLog.open({
    fs: nodeFileSystem,
    folder,
    ledgerId: randomBytes(16),
    chain: { sequence: 0, crc: 0, epoch: 1 },
    last: null,
    nowMs: () => timeMs,
    onDurable: () => {},
    onFail: fail,
  })
  const append = (...events: LedgerEvent[]): number => log.append(encodePayload(timeMs, events))
  append(
    { kind: 'account', slot: 0, id: 'acct_0', email: 'bench@example.org' },
    { kind: 'credit', account: 0, micros: 1e12, debtPaidMicros: 0, credit: 'test', reference: 'r', note: '' },
  )
  for (let slot = 1; slot <= keys; slot++) {
    append({
      kind: 'key',
      slot,
      id: `key_${slot}`,
      account: 0,
      label: '',
      start: 'pk_live_0000',
      hash: `${slot}`,
    })
  }
  const counts = new Float64Array(keys)
  let key = 0
  for (let written = 0, frames = 0; written < entries; written += perFrame, frames++) {
    const rows: number[] = []
    for (let row = 0; row < perFrame; row++) {
      key = (key + 1) % keys
      const queries = (counts[key] ?? 0) + 3
      counts[key] = queries
      rows.push(key + 1, queries, 0, queries, 0, 0, 2 * queries * QUERY_PRICE_MICROS)
    }
    timeMs += FLUSH_MS
    append({ kind: 'usage', rows })
    if (frames % FRAMES_PER_BATCH === 0) await log.settled()
  }
  await log.close()
}

async function measure(): Promise<void> {
  let bytes = 0
  const { segments } = await listLedger(nodeFileSystem, folder)
  for (const { path } of segments) bytes += (await stat(path)).size
  for (let run = 1; run <= 3; run++) {
    const startMs = performance.now()
    const startCpu = process.cpuUsage()
    const { book, walked } = await recover(nodeFileSystem, folder)
    const seconds = (performance.now() - startMs) / 1000
    const cpu = process.cpuUsage(startCpu)
    const cpuSeconds = (cpu.user + cpu.system) / 1e6
    const spent = book.accounts.get('acct_0')?.spentMicros
    const megabytes = (bytes / 1e6).toFixed(0)
    console.log(
      `run ${run}: ${entries} entries in ${walked.sequence} frames, ${megabytes} MB in ${walked.segments} segments:`,
      `${seconds.toFixed(2)} s, of the processor ${cpuSeconds.toFixed(2)} s, ${((cpuSeconds * 1e9) / entries).toFixed(0)} ns per entry`,
      `(spent ${spent})`,
    )
  }
  console.log(`peak memory ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`)
}
