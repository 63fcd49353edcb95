/**
 * Whether lookups notice what a service does besides: commands, snapshots of the ledger, new segments, and index swaps.
 *
 *   node dist/bench/upkeep.js [accounts, 10000] [keys, 40000] [seconds, 120]
 *
 * First, lookups alone and while commands credit accounts and create keys at 1,000 a second, in turn. Then one connection looks a
 * code up every two milliseconds while wrk lets every key be charged, so that the ledger fills segment after segment, each with a
 * snapshot; and a new index file is swapped in every five seconds. Prints how long lookups took while each of these was in progress
 * and while none was. Segments are of 4 MiB here, a sixteenth of the service's. Needs wrk and Linux.
 */
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SECRET_BYTES } from '../src/accounts/secret.ts'
import { askServer } from '../src/control/operator/operator-client.ts'
import { RELOAD } from '../src/control/operator/server-operations.ts'
import { ledgerFolder } from '../src/ledger/disk/files.ts'
import { Child } from './child.ts'
import type { Commands } from './http/commander-child.ts'
import type { Probe, Waits } from './http/probe-child.ts'
import { Server } from './http/server.ts'
import { runWrk } from './http/wrk.ts'
import { replaceByNextBuild } from './input/next-build.ts'
import { sampleCodes } from './input/samples.ts'
import { worldIndex } from './input/worlds.ts'
import { machineLine, thisMachine } from './machine.ts'
import { fillLedger, SECRETS } from './many-accounts.ts'
import { threadNanos } from './processor-time.ts'
import { inTurn } from './rounds.ts'
import { percentile, ratioOf } from './statistics.ts'

const [accounts = 10_000, keys = 40_000, seconds = 120] = process.argv.slice(2).map(Number)
const PER_SECOND = 1000
const ROUNDS = 5
const ROUND_SECONDS = 4
const SWAP_MS = 5000
/** What counts as during a change: it, and what follows it. */
const AFTER_MS = 200
const WATCH_MS = 20
const REQUESTS = 'requests/s'
const SERVER_THREAD = 'processor time of the server thread per request, µs'

console.log(machineLine(thisMachine()))
const world = worldIndex()
const dir = mkdtempSync(join(tmpdir(), 'postrie-upkeep-'))
const indexFile = join(dir, 'index.postrie')
copyFileSync(world.path, indexFile)
const ledger = await fillLedger(dir, accounts, keys)
await ledger.close(async () => {})
const secrets = readFileSync(join(dir, SECRETS))
const bodiesFile = join(dir, 'bodies.txt')
writeFileSync(bodiesFile, sampleCodes(world, keys, 1).map(bodyOf).join('\n'))
let builds = 0
const server = await Server.start('postrie', { indexFile, dataFolder: dir }, ['./http/small-segments.ts'])
const commander = new Child('./http/commander-child.ts')
const probe = new Child('./http/probe-child.ts')
try {
  await whileCommanded()
  await whileTended()
} finally {
  for (const child of [commander, probe, server]) await child.end()
  rmSync(dir, { recursive: true, force: true })
}

function bodyOf({ text, country }: { text: string; country: string }, key: number): string {
  const apiKey = secrets.toString('latin1', key * SECRET_BYTES, (key + 1) * SECRET_BYTES)
  return JSON.stringify({ apiKey, zipcode: text, country })
}

async function whileCommanded(): Promise<void> {
  const commands: Commands = { socketFile: server.socketFile, accounts, perSecond: PER_SECOND }
  let commanded = 0
  const taken = await inTurn(
    {
      alone: lookups,
      commanded: async () => {
        await commander.call('start', commands)
        const sample = await lookups()
        const { done, failed } = await commander.call<{ done: number; failed: string }>('stop')
        if (failed !== '') throw new Error(failed)
        commanded = done
        return sample
      },
    },
    ROUNDS,
  )
  const perSecond = commanded / ((ROUNDS + 1) * ROUND_SECONDS)
  for (const unit of [REQUESTS, SERVER_THREAD] as const) {
    const ratio = ratioOf(taken.commanded[unit], taken.alone[unit])
    console.log(`${unit} with ${perSecond.toFixed(0)} commands/s against alone: ${ratio.toFixed(3)}`)
  }
}

async function lookups(): Promise<Record<typeof REQUESTS | typeof SERVER_THREAD, number>> {
  const { pid } = server.child
  const before = threadNanos(pid)
  const { requests, micros } = await runWrk(loadOf(64, ROUND_SECONDS))
  const used = Array.from(threadNanos(pid), ([thread, nanos]) => nanos - (before.get(thread) ?? 0))
  return { [REQUESTS]: (requests / micros) * 1e6, [SERVER_THREAD]: Math.max(...used) / 1000 / requests }
}

function loadOf(connections: number, during: number) {
  return { url: server.url('lookup'), connections, seconds: during, bodiesFile, apiKey: '' }
}

async function whileTended(): Promise<void> {
  const [body] = readFileSync(bodiesFile, 'utf8').split('\n', 1)
  const asked: Probe = { port: server.port, body, everyMs: 2 }
  const changes: { what: string; atMs: number }[] = []
  await probe.call('start', asked)
  const endMs = performance.now() + seconds * 1000
  const isOver = () => performance.now() > endMs
  await Promise.all([runWrk(loadOf(4, seconds)), swap(changes, isOver), watchLedger(changes, isOver)])
  const waits = await probe.call<Waits>('stop')
  for (const what of ['nothing', 'swap', 'segment', 'snapshot']) {
    const during = changes.filter(change => change.what === what)
    const isIn = (sentMs: number) =>
      (what === 'nothing' ? changes : during).some(({ atMs }) => near(sentMs, atMs))
    const took = waits
      .filter(({ sentMs }) => isIn(sentMs) === (what !== 'nothing'))
      .map(({ tookMs }) => tookMs)
    if (took.length > 0) console.log(`${what} (${during.length}): ${spread(took)}`)
  }
}

/** Lookups are late from a little before a change is seen until some time after it. */
function near(sentMs: number, atMs: number): boolean {
  return sentMs > atMs - AFTER_MS && sentMs < atMs + AFTER_MS
}

function spread(took: readonly number[]): string {
  const at = (share: number) => percentile(took, share).toFixed(2)
  return `${took.length} lookups, median ${at(0.5)} ms, 99.9 percent ${at(0.999)} ms, longest ${at(1)} ms`
}

async function swap(changes: { what: string; atMs: number }[], isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await sleep(SWAP_MS)
    replaceByNextBuild(world.path, indexFile, ++builds)
    changes.push({ what: 'swap', atMs: nowMs() })
    const answer = await askServer(server.socketFile, RELOAD, {})
    // The same, when the server has seen the file before it is told.
    if (!answer.reached || (answer.result as { outcome: string }).outcome === 'refused')
      throw new Error(`the index was not replaced: ${JSON.stringify(answer)}`)
    changes.push({ what: 'swap', atMs: nowMs() })
  }
}

/** Notes when a file of the ledger appears, and for a snapshot all the time while it is being written. */
async function watchLedger(changes: { what: string; atMs: number }[], isOver: () => boolean): Promise<void> {
  const folder = ledgerFolder(dir)
  const seen = new Set(readdirSync(folder))
  const sizeOf = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0
  while (!isOver()) {
    await sleep(WATCH_MS)
    for (const name of readdirSync(folder)) {
      if (name.endsWith('.snapshot.new') && sizeOf(name) > 0)
        changes.push({ what: 'snapshot', atMs: nowMs() })
      if (seen.has(name)) continue
      seen.add(name)
      if (name.endsWith('.segment')) changes.push({ what: 'segment', atMs: nowMs() })
      if (name.endsWith('.snapshot')) changes.push({ what: 'snapshot', atMs: nowMs() })
    }
  }
}

function nowMs(): number {
  return performance.timeOrigin + performance.now()
}
