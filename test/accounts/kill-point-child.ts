/**
 * Run as a process: charges an account of a folder, and kills itself right before one of the steps of the last charge.
 *
 *   node kill-point-child.js <folder> <secret> <step> <1 if all before is flushed>
 *
 * Steps are the stores of a charge into the account's line, the key's line and the key's row, and every call of `Atomics`. Prints the
 * number of each answered charge, and each step of the last one.
 */
import { writeSync } from 'node:fs'
import { Accounts } from '../../src/accounts/accounts.ts'
import type { SharedKey } from '../../src/accounts/charging/shared-key.ts'

const [dir = '', secret = '', last = '', isFlushed = ''] = process.argv.slice(2)
const CHARGES = 5
/** Each is for another number of queries, so that a charge that is doubled shows. */
const queriesOf = (charge: number) => charge + 1

const accounts = await Accounts.open({ dir })
const key = accounts.charging.authenticate(Buffer.from(secret), 0, secret.length) as SharedKey
for (let charge = 0; charge < CHARGES; charge++) {
  if (!accounts.charging.charge(key, charge % 3, queriesOf(charge))) throw new Error('a charge is refused')
  say(`answered ${queriesOf(charge)}`)
  // The flusher takes some of them and leaves some.
  if (charge === 2) await accounts.makeDurable()
}
if (isFlushed === '1') {
  await accounts.makeDurable()
  // Finds nothing, so that the flusher sleeps.
  await accounts.makeDurable()
}
let steps = 0
watch(key.account, 'balance')
watch(key, 'cap')
watch((accounts.charging as unknown as { rows: object }).rows, 'count')
for (const name of ['compareExchange', 'or', 'store', 'exchange'] as const) {
  const call = Atomics[name] as (...args: unknown[]) => unknown
  Atomics[name] = ((...args: unknown[]) => {
    step(name)
    return call(...args)
  }) as never
}
accounts.charging.charge(key, 0, queriesOf(CHARGES))
say(`answered ${queriesOf(CHARGES)}`)
process.kill(process.pid, 'SIGKILL')

/** Has every store into the cells of `owner` be a step. */
function watch(owner: object, what: string): void {
  const { cells } = owner as { cells: Float64Array }
  const set = (_: object, at: string | symbol, value: number): boolean => {
    step(what)
    cells[Number(at)] = value
    return true
  }
  const get = (_: object, at: string | symbol) => Reflect.get(cells, at)
  Object.assign(owner, { cells: new Proxy(cells, { set, get }) })
}

function step(what: string): void {
  say(`step ${++steps} ${what}`)
  if (steps === Number(last)) process.kill(process.pid, 'SIGKILL')
}

/** At once: what a killed process has not written is gone. */
function say(text: string): void {
  writeSync(1, `${text}\n`)
}
