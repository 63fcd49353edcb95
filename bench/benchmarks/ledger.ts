/** Measures a charge, a start and a replay. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Benchmark, measuresOf, type Options, type Result } from '../benchmark.ts'
import { Child } from '../child.ts'
import type { Filling } from '../ledger-child.ts'
import { inTurn } from '../measure.ts'

export const ledger: Benchmark = {
  name: 'ledger',
  text: 'a charge in process, a start with 50,000 accounts and 200,000 keys, a replay of a million entries',
  needsPackages: false,
  run: runLedger,
}

async function runLedger({ quick }: Options): Promise<Result> {
  const scale = quick ? 0.02 : 1
  const root = mkdtempSync(join(tmpdir(), 'postrie-bench-'))
  const ask = async <T>(name: string, call: string, value?: unknown): Promise<T> => {
    const child = new Child('ledger-child.ts', [join(root, name)])
    return child.call<T>(call, value).finally(() => child.end())
  }
  const large: Filling = {
    accounts: 50_000 * scale,
    keysPerAccount: 4,
    uses: 200_000 * scale,
    isCompact: true,
  }
  const long: Filling = { accounts: 10, keysPerAccount: 100, uses: 1_000_000 * scale, isCompact: false }
  const open = (name: string) => () => ask<{ seconds: number; megabytes: number }>(name, 'open')
  const charge = async () => {
    rmSync(join(root, 'charged'), { recursive: true, force: true })
    return { ns: await ask<number>('charged', 'charge', 2_000_000 * scale) }
  }
  const rounds = quick ? 1 : 5
  try {
    await ask('large', 'fill', large)
    await ask('long', 'fill', long)
    const starts = await inTurn({ start: open('large'), replay: open('long') }, rounds)
    const charges = await inTurn({ charge }, rounds)
    return {
      measures: [...measuresOf('a start', starts), ...measuresOf('a charge', charges)],
      findings: [
        { text: 'processor seconds of a start', value: starts.start.seconds.median, wanted: { atMost: 6 } },
        { text: 'megabytes of a start', value: starts.start.megabytes.median, wanted: { atMost: 600 } },
        {
          text: 'processor seconds of a replay',
          value: starts.replay.seconds.median,
          wanted: { atMost: 10 },
        },
      ],
      notes: [
        'Times are processor time. A start reads a snapshot; a replay reads a log with one frame per entry.',
      ],
    }
  } finally {
    rmSync(root, { recursive: true })
  }
}
