/**
 * A process that uses up its file descriptors and goes on crediting over many segments, as a service does whose clients
 * hold connections open. Prints what it did as JSON. Arguments: data folder, credits.
 */
import { openSync } from 'node:fs'
import { Accounts } from '../../src/accounts/accounts.ts'

const [dir = '', count = '100'] = process.argv.slice(2)
const failures: string[] = []
const accounts = await Accounts.open({
  dir,
  segmentBytesMax: 1024,
  slotsMin: 4,
  onFatal: error => failures.push(error.message),
})
const { id } = await accounts.createAccount({ email: 'ada@example.org' })
let taken = 0
const takeAll = (): void => {
  try {
    for (;;) {
      openSync('/dev/null', 'r')
      taken++
    }
  } catch {}
}
for (let credit = 0; credit < Number(count); credit++) {
  // Again before each: a descriptor that the ledger frees is taken at once.
  takeAll()
  await accounts
    .credit({ account: id, micros: 10, reference: `r-${credit}`, kind: 'test' })
    .catch(error => failures.push(String(error)))
}
process.stdout.write(`${JSON.stringify({ taken, failures, balance: accounts.account(id)?.balanceMicros })}\n`)
process.exit(0)
