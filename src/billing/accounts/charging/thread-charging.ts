/** Charging on other threads than the ledger's, through shared memory and few messages. */
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { MemoryHandle } from '../../../platform/shared-memory.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { MeterRows } from '../../ledger/meter/meter-layout.ts'
import { systemClock, Timeline } from '../../ledger/timeline.ts'
import { type LiveShare, LiveState } from '../live/live-state.ts'
import { Charging, type LedgerCalls, type Shortfall } from './charging.ts'

export type ThreadShare = { thread: number; live: LiveShare; meter: MemoryHandle; offsetMs: Float64Array }

/** Message of a thread. `wake`: the flusher has usage to move. */
type FromThread = 'wake' | { shortfall: Shortfall; msMax: number; answer: MessagePort }

/** Answers thread number `thread` until its port closes. Runs on the ledger thread. */
export function attachThread(
  thread: number,
  port: MessagePort,
  { meter, timeline }: Ledger,
  live: LiveState,
  { wake, waitForLease }: LedgerCalls,
): ThreadShare {
  port.on('message', async (message: FromThread) => {
    if (message === 'wake') return wake()
    message.answer.postMessage(await waitForLease(message.shortfall, message.msMax))
  })
  port.unref()
  return { thread, live: live.share, meter: meter.handle, offsetMs: timeline.offsetMs }
}

/** Begins to charge until `port`, the other end of `attachThread`, closes. It keeps no thread alive. */
export async function openCharging(
  { thread, live, meter, offsetMs }: ThreadShare,
  port: MessagePort,
): Promise<Charging> {
  const charging = new Charging({
    live: new LiveState(live),
    rows: await MeterRows.at(meter),
    timeline: new Timeline(systemClock, offsetMs),
    thread,
    wake: () => port.postMessage('wake' satisfies FromThread),
    waitForLease: (shortfall, msMax) =>
      new Promise(resolve => {
        const { port1, port2: answer } = new MessageChannel()
        port1.once('message', (isDecided: boolean) => {
          port1.close()
          resolve(isDecided)
        })
        port1.unref()
        port.postMessage({ shortfall, msMax, answer } satisfies FromThread, [answer])
      }),
  })
  port.unref()
  return charging
}
