/**
 * Charges an account and kills itself right before one step of the last charge. Steps are the stores into the account's line, the key's
 * line and the key's row, and every call of `Atomics`. Prints the number of each answered charge, and each step of the last one.
 * Arguments: <folder> <secret> <step> <flushed or unflushed>
 */

import { writeSync } from 'node:fs'
import { accountsOf } from '../../../src/billing/accounts/accounts.ts'
import { CHARGED } from '../../../src/service/endpoints/table.ts'
import { keyOf } from '../../support/accounts.ts'
import { openContext } from '../../support/open-context.ts'

const [dir = '', secret = '', last = '', earlier = ''] = process.argv.slice(2)
const CHARGES = 5
/** Each charge has another number of queries, so that a doubled charge shows. */
const queriesOf = (charge: number) => charge + 1

const context = await openContext({ usageClasses: CHARGED, dir })
const accounts = accountsOf(context)
const key = keyOf(accounts, secret)
for (let charge = 0; charge < CHARGES; charge++) {
  if (accounts.charging.charge(key, charge % 3, queriesOf(charge)) !== null)
    throw new Error('a charge is refused')
  print(`answered ${queriesOf(charge)}`)
  // The flusher takes some of them and leaves some.
  if (charge === 2) await accounts.makeDurable()
}
if (earlier === 'flushed') {
  await accounts.makeDurable()
  // The flusher finds nothing and goes to sleep.
  await accounts.makeDurable()
}
let steps = 0
watch(key.account, 'balance')
watch(key, 'cap')
watch(context.ledger.meter.rows, 'count')
for (const name of ['compareExchange', 'or', 'store', 'exchange'] as const) {
  const call = Atomics[name] as (...args: unknown[]) => unknown
  Atomics[name] = ((...args: unknown[]) => {
    step(name)
    return call(...args)
  }) as never
}
accounts.charging.charge(key, 0, queriesOf(CHARGES))
print(`answered ${queriesOf(CHARGES)}`)
process.kill(process.pid, 'SIGKILL')

/** Makes every store into the cells of `owner` a step. */
function watch(owner: object, name: string): void {
  const { cells } = owner as { cells: Float64Array }
  const set = (_: object, at: string | symbol, value: number): boolean => {
    step(name)
    cells[Number(at)] = value
    return true
  }
  const get = (_: object, at: string | symbol) => Reflect.get(cells, at)
  Object.assign(owner, { cells: new Proxy(cells, { set, get }) })
}

function step(name: string): void {
  print(`step ${++steps} ${name}`)
  if (steps === Number(last)) process.kill(process.pid, 'SIGKILL')
}

/** Writes at once: a killed process loses what it has not written. */
function print(text: string): void {
  writeSync(1, `${text}\n`)
}
