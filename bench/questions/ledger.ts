/** Measures a charge, a start and a replay. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Child } from '../child.ts'
import type { Filling } from '../ledger-child.ts'
import { inTurn } from '../measure.ts'
import { type Answer, measuresOf, type Options, type Question } from '../question.ts'

export const ledger: Question = {
  name: 'ledger',
  text: 'a charge in process, a start with 50,000 accounts and 200,000 keys, a replay of a million entries',
  rivals: false,
  run: runLedger,
}

async function runLedger({ quick }: Options): Promise<Answer> {
  const part = quick ? 0.02 : 1
  const root = mkdtempSync(join(tmpdir(), 'postrie-bench-'))
  const ask = async <T>(name: string, call: string, value?: unknown): Promise<T> => {
    const child = new Child('ledger-child.ts', [join(root, name)], [])
    const answer = await child.call<T>(call, value)
    await child.end()
    return answer
  }
  const large: Filling = { accounts: 50_000 * part, keysPerAccount: 4, uses: 200_000 * part, isCompact: true }
  const long: Filling = { accounts: 10, keysPerAccount: 100, uses: 1_000_000 * part, isCompact: false }
  await ask('large', 'fill', large)
  await ask('long', 'fill', long)
  const opened = (name: string) => () => ask<{ seconds: number; megabytes: number }>(name, 'open')
  const rounds = quick ? 1 : 5
  const starts = await inTurn({ start: opened('large'), replay: opened('long') }, rounds)
  const nanos = () => ask<number>('charged', 'charge', 2_000_000 * part)
  const charges = await inTurn(
    {
      charge: async () => {
        rmSync(join(root, 'charged'), { recursive: true, force: true })
        return { ns: await nanos() }
      },
    },
    rounds,
  )
  rmSync(root, { recursive: true })
  return {
    measures: [...measuresOf('a start', starts), ...measuresOf('a charge', charges)],
    ratios: [
      { text: 'processor seconds of a start', value: starts.start.seconds.median, wanted: '<= 6' },
      { text: 'megabytes of a start', value: starts.start.megabytes.median, wanted: '<= 600' },
      { text: 'processor seconds of a replay', value: starts.replay.seconds.median, wanted: '<= 10' },
    ],
    notes: ['Processor time. A start reads one snapshot; a replay reads a log of a frame for each entry.'],
  }
}
