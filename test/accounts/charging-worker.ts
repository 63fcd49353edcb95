/** Run as a worker: charges as a server thread does, one call at a time or as fast as it can. */
import { type MessagePort, parentPort } from 'node:worker_threads'
import type { Charging } from '../../src/accounts/charging/charging.ts'
import { openCharging, type ThreadShare } from '../../src/accounts/charging/thread-charging.ts'
import { type Clock, systemClock } from '../../src/ledger/clock.ts'
import { seededRandom } from '../ledger/random.ts'
import { type AdmitCall, admit, type ChargeCall, charge, find } from './charge-calls.ts'
import { Notes, USAGES } from './charging-notes.ts'

/** Cells of a clock that tests move: wall time and monotonic time. */
export type ClockCells = Float64Array

export interface Attach {
  do: 'attach'
  share: ThreadShare
  port: MessagePort
  clock: ClockCells | null
}

/** Requests as fast as the thread can make them, each for one of `secrets`. */
export interface Flood {
  do: 'flood'
  secrets: string[]
  seed: number
  requests: number
  /** Queries of a request: one of these. */
  sizes: number[]
  usages: number
  /** A file in which each thread notes what it was told, so that a killed process leaves it; null: none. */
  notes: string | null
}

export type Call =
  | Attach
  | (ChargeCall & { do: 'charge' })
  | (AdmitCall & { do: 'admit' })
  | Flood
  | { do: 'find'; secret: string }
  | { do: 'detach' }

export interface FloodAnswer {
  /** Queries by secret and class. */
  charged: number[][]
  /** Queries that the limiter let through, and requests that it refused. */
  admitted: number
  refused: number
  unpaid: number
  unknown: number
  /** Balances after charges, in the order in which this thread saw them. */
  balances: number[]
}

/** Requests between two turns of the event loop. */
const TURN = 64

let charging: Charging | null = null

if (parentPort !== null) {
  const port = parentPort
  port.on('message', async ({ id, call }: { id: number; call: Call }) => {
    port.postMessage({ id, answer: await answer(call) })
  })
}

async function answer(call: Call): Promise<unknown> {
  switch (call.do) {
    case 'attach': {
      charging = await openCharging(call.share, call.port, call.clock ? clockOf(call.clock) : systemClock)
      return null
    }
    case 'detach': {
      charging?.close()
      charging = null
      return null
    }
    case 'find':
      return find(opened(), call.secret)?.slot
    case 'charge':
      return charge(opened(), call)
    case 'admit':
      return admit(opened(), call)
    case 'flood':
      return flood(call)
    default:
      return call satisfies never
  }
}

function clockOf(cells: ClockCells): Clock {
  return { wallMs: () => cells[0], monotonicMs: () => cells[1], after: () => () => {} }
}

function opened(): Charging {
  if (charging === null) throw new Error('this thread is not attached')
  return charging
}

async function flood(task: Flood): Promise<FloodAnswer> {
  const { secrets, requests, sizes, usages } = task
  const notes = task.notes === null ? null : Notes.open(task.notes, opened().thread)
  const random = seededRandom(task.seed)
  const result: FloodAnswer = {
    charged: secrets.map(() => new Array<number>(USAGES).fill(0)),
    admitted: 0,
    refused: 0,
    unpaid: 0,
    unknown: 0,
    balances: [],
  }
  for (let request = 0; request < requests; request++) {
    if (request % TURN === 0) await new Promise(resolve => setImmediate(resolve))
    const index = random.below(secrets.length)
    const usage = random.below(usages)
    const queries = random.pick(sizes)
    const key = find(opened(), secrets[index])
    if (key === undefined) {
      result.unknown++
    } else if (opened().admit(key, queries) > 0) {
      result.refused++
    } else {
      result.admitted += queries
      notes?.begin(index, usage, queries)
      if (!opened().charge(key, usage, queries)) result.unpaid++
      else {
        result.charged[index][usage] += queries
        notes?.charged(index, usage, queries)
        if (task.notes === null) result.balances.push(key.account.availableMicros)
      }
      notes?.end()
    }
  }
  return result
}
