/**
 * Nanoseconds of each step that money takes on the hot path, with the ledger written to a real disk meanwhile, against a
 * charge that only counts in memory.
 *
 *   node dist/bench/charge.js [calls]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Accounts } from '../src/accounts/accounts.ts'
import type { ApiKey, UsageClass } from '../src/accounts/types.ts'
import { CREDIT_MAX_MICROS, QUERY_PRICE_MICROS } from '../src/limits.ts'

const calls = Number(process.argv[2] ?? 5_000_000)
const KEYS = 100
/** Calls between two turns of the event loop, as a busy server has them. */
const CALLS_PER_TURN = 500
const ROUNDS = 3

/** Keeps results alive, so that no loop is optimised away. */
let sink = 0

const dir = await mkdtemp(join(tmpdir(), 'postrie-charge-'))
const accounts = await Accounts.open({ dir })
try {
  const secrets = await createKeys()
  const keys = secrets.map(secret => accounts.authenticate(secret, 0, secret.length) as ApiKey)
  for (let round = 1; round <= ROUNDS; round++) {
    await measure('authenticate, second sight', call => {
      const secret = secrets[call % KEYS] as Buffer
      return accounts.authenticate(secret, 0, secret.length) === undefined ? 0 : 1
    })
    await measure('admit, limits off', call => accounts.admit(keys[call % KEYS] as ApiKey, 1))
    await measure('charge in memory only', call => chargeInMemory(keys[call % KEYS] as ApiKey, 1))
    await measure('charge, meter and ledger', call => {
      return accounts.charge(keys[call % KEYS] as ApiKey, (call % 5) as UsageClass, 1) ? 1 : 0
    })
  }
  await accounts.setLimits('0@example.org', { perMinute: 10_000_000, perHour: null, perDay: null })
  const limited = keys[0] as ApiKey
  await measure('admit, limits on', () => accounts.admit(limited, 1))
} finally {
  await accounts.close()
  await rm(dir, { recursive: true })
}
console.error(`(sink ${sink})`)

async function createKeys(): Promise<Buffer[]> {
  const secrets: Buffer[] = []
  for (let count = 0; count < KEYS; count++) {
    const email = `${count}@example.org`
    await accounts.createAccount({ email })
    await accounts.credit({ account: email, micros: CREDIT_MAX_MICROS, reference: email, kind: 'test' })
    secrets.push(Buffer.from((await accounts.createKey(email)).key))
  }
  return secrets
}

/** What a service without a memory would do. */
function chargeInMemory(key: ApiKey, queries: number): number {
  const micros = queries * QUERY_PRICE_MICROS
  if (key.account.availableMicros < micros) return 0
  key.account.availableMicros -= micros
  return 1
}

/** Runs `step` in turns of the event loop. The processor time of all threads counts, so the flusher's writes are in it. */
async function measure(name: string, step: (call: number) => number): Promise<void> {
  const start = process.cpuUsage()
  for (let call = 0; call < calls; call += CALLS_PER_TURN) {
    for (let turn = 0; turn < CALLS_PER_TURN; turn++) sink += step(call + turn)
    await new Promise(resolve => setImmediate(resolve))
  }
  const { user, system } = process.cpuUsage(start)
  console.log(`${name.padEnd(28)} ${(((user + system) * 1000) / calls).toFixed(1).padStart(7)} ns`)
}
