/** What does the charge add to the cost of a request, with the ledger running? */

import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { Accounts } from '../../src/accounts/accounts.ts'
import type { Meter } from '../../src/accounts/types.ts'
import { lookup } from '../../src/api/endpoints/lookup.ts'
import { answer } from '../../src/api/response/answer.ts'
import { ApiRequest } from '../../src/api/service.ts'
import { FLUSH_MS_DEFAULT } from '../../src/limits.ts'
import { prepareLedger } from '../http/accounts.ts'
import { writeBodies } from '../http/bodies.ts'
import { worldIndex } from '../input/worlds.ts'
import { processorNanos } from '../processor-time.ts'
import { type Answer, measure, type Options, type Question } from '../question.ts'
import { inTurn } from '../rounds.ts'
import { ratioOf } from '../statistics.ts'

const NANOS = 'ns per lookup'

export const ledger: Question = {
  name: 'ledger',
  text: 'a lookup in process with the charge and without it',
  rivals: false,
  run: runLedger,
}

async function runLedger({ quick }: Options): Promise<Answer> {
  const index = worldIndex()
  const { dir, apiKey } = await prepareLedger()
  const accounts = await Accounts.open({ dir })
  const bodies = readFileSync(writeBodies(index).lookup.file, 'utf8')
    .split('\n')
    .map(body => new Uint8Array(Buffer.from(body.replace('@KEY@', apiKey))))
  const free: Meter = {
    authenticate: (bytes, start, end) => accounts.authenticate(bytes, start, end),
    isActive: key => accounts.isActive(key),
    admit: (key, queries) => accounts.admit(key, queries),
    charge: () => true,
    healthy: true,
    latest: null,
    canPay: () => true,
    takeBack: () => false,
    hold: () => {},
    release: () => {},
    countFree: () => {},
    wanted: null,
    readmit: () => {},
    lease: async () => false,
  }
  const run = (meter: Meter) => {
    const request = new ApiRequest({ index, meter })
    return () => timed(request, bodies, quick ? 2 : 20)
  }
  const taken = await inTurn({ 'charge on': run(accounts), 'charge off': run(free) }, quick ? 1 : 15)
  await accounts.close()
  const measures = Object.entries(taken).map(([name, spreads]) =>
    measure('lookup in process, no HTTP', `postrie, ${name}`, NANOS, spreads[NANOS]),
  )
  const [on, off] = [taken['charge on'][NANOS], taken['charge off'][NANOS]]
  return {
    measures,
    ratios: [
      { text: 'a charge, ns', value: on.median - off.median },
      { text: 'lookup with the charge against without', value: ratioOf(on, off) },
    ],
    charts: [],
    notes: [
      `A charge is four stores into the mapped meter; the ledger is written and synced every ${FLUSH_MS_DEFAULT} ms.`,
    ],
  }
}

async function timed(request: ApiRequest, bodies: readonly Uint8Array[], passes: number) {
  // The flush of the last pass must not fall into this one.
  await sleep(20)
  const started = processorNanos()
  for (let pass = 0; pass < passes; pass++) {
    for (const body of bodies) {
      answer(request, lookup, body)
      if (request.status !== 200) throw new Error(`a lookup was answered ${request.status}`)
    }
  }
  return { [NANOS]: (processorNanos() - started) / (passes * bodies.length) }
}
