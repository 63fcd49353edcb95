import fc from 'fast-check'
import t from 'tap'
import { dollars, dollarsText, parseDollars } from '../../../src/billing/money.ts'
import { Output } from '../../../src/postal/index/output.ts'

const output = new Output()

function writtenText(write: (output: Output) => void): string {
  output.length = 0
  write(output)
  return Buffer.from(output.view()).toString('latin1')
}

/** At most 15 digits, so that the nearest double prints the same digits. */
const micros = fc.oneof(
  fc.integer({ min: -(10 ** 15), max: 10 ** 15 }),
  fc.integer({ min: -2_000_000, max: 2_000_000 }),
  fc.integer({ min: 0, max: 10 ** 9 }).map(whole => whole * 1_000_000),
)

t.test('every answer spells a balance alike', async () => {
  fc.assert(
    fc.property(
      micros,
      value => writtenText(out => out.millionths(value)) === JSON.stringify(dollars(value)),
    ),
    { numRuns: 5000 },
  )
})

t.test('micro-dollars are written as dollars', async t => {
  t.equal(JSON.stringify(dollars(4_999_972)), '4.999972')
  t.equal(JSON.stringify(dollars(5_000_000)), '5')
  t.equal(JSON.stringify(dollars(28)), '0.000028')
  t.equal(dollarsText(27_972), '$0.0279', 'a balance is rounded down')
  t.equal(dollarsText(0), '$0.0000')
  t.equal(dollarsText(12_345_678_900), '$12345.6789')
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 10 ** 14 }),
      value => parseDollars(String(dollars(value))) === value,
    ),
  )
})
