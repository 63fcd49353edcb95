/** The sequences of the model, each request on a thread that is chosen at random. */
import type { Accounts } from '../../src/accounts/accounts.ts'
import { type Random, seededRandom } from '../ledger/random.ts'
import type { AdmitAnswer, AdmitCall, ChargeAnswer, ChargeCall } from './charge-calls.ts'
import { ChargingPool } from './charging-pool.ts'
import { type Chargers, Sequence } from './sequence.ts'

const THREADS = 3
/** Started once for all sequences of this process. */
let pool: ChargingPool | undefined

/** Entry of the worker of `runSeeds`. */
export async function runSeed(seed: number): Promise<void> {
  pool ??= new ChargingPool(THREADS)
  await new Sequence(seededRandom(seed), new OtherThreads(pool, seededRandom(~seed))).run()
}

/** Ends the threads, without which this process would not end. */
export async function finish(): Promise<void> {
  await pool?.stop()
}

class OtherThreads implements Chargers {
  readonly #pool: ChargingPool
  readonly #random: Random

  constructor(pool: ChargingPool, random: Random) {
    this.#pool = pool
    this.#random = random
  }

  opened(accounts: Accounts, clock: Float64Array): Promise<void> {
    return this.#pool.attach(accounts, clock)
  }

  charge(call: ChargeCall): Promise<ChargeAnswer | null> {
    return this.#ask({ ...call, do: 'charge' })
  }

  admit(call: AdmitCall): Promise<AdmitAnswer | null> {
    return this.#ask({ ...call, do: 'admit' })
  }

  find(secret: string): Promise<number | undefined> {
    return this.#ask({ do: 'find', secret })
  }

  async closing(): Promise<void> {
    await this.#pool.detach()
    await heard()
  }

  async #ask<Answer>(call: Parameters<ChargingPool['call']>[1]): Promise<Answer> {
    const answer = await this.#pool.call<Answer>(this.#random.below(THREADS), call)
    // The thread has woken the ledger thread before it answered, over another port: time must not pass before that is heard.
    await heard()
    return answer
  }
}

function heard(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
