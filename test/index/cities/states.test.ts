/** The states of the US are gathered before the first request of a new index asks for them. */
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { prepareStates, statesOf } from '../../../src/index/cities/states.ts'
import { countrySlot } from '../../../src/index/country-table.ts'
import { openIndex } from '../../../src/index/open-index.ts'
import type { PostalIndex } from '../../../src/index/postal-index.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'
import { fixtureIndex } from '../../support/fixture-index.ts'

function usOf({ countries }: PostalIndex) {
  const country = countries.at(countrySlot(0x55, 0x53))
  if (country === undefined || country === null) throw new Error('the index lacks the US')
  return country
}

t.test('the first city search after an index swap gathered the states of the US', async t => {
  const index = openIndex(DEFAULT_INDEX)
  let turns = 0
  let isDone = false
  const prepared = prepareStates(index, setImmediate).then(() => {
    isDone = true
  })
  while (!isDone) {
    await setImmediate()
    turns++
  }
  await prepared
  t.ok(turns >= 8, `in ${turns} turns of the event loop`)
  const states = statesOf(index, usOf(index))
  t.equal(statesOf(index, usOf(index)), states, 'once')
  const another = openIndex(DEFAULT_INDEX)
  t.same(statesOf(another, usOf(another)), states, 'the same as at once')
  for (const name of ['california', 'newyork', 'districtofcolumbia']) t.ok(states.names.has(name), name)
  t.ok(states.codes.has('CA'))
})

t.test('an index without the US, and one that is small', async t => {
  const index = fixtureIndex(t.testdir())
  await prepareStates(index, setImmediate)
  t.ok(statesOf(index, usOf(index)).names.size > 0)
})
