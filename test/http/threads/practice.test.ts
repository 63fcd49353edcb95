/** What a server thread answers before anybody asks: requests of each kind, of nobody. */
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { exercisesFor, practise } from '../../../src/http/threads/practice.ts'
import type { PostalIndex } from '../../../src/index/postal-index.ts'
import { COUNTRIES } from '../../support/countries.ts'
import { fixtureIndex } from '../../support/fixture-index.ts'
import { until } from '../../support/until.ts'

t.test('the first requests of a thread met code that had never run: each kind is practised', async t => {
  const statuses = Array.from(exercisesFor(fixtureIndex(t.testdir())), exercise => [exercise(), exercise()])
  t.ok(statuses.length >= 20, `${statuses.length} exercises`)
  for (const [first, second] of statuses) t.equal(first, second, 'the second time is as the first')
  const answered = statuses.filter(([status]) => status === 200).length
  const notFound = statuses.filter(([status]) => status === 404).length
  t.equal(notFound, 2, 'an unknown code of either country')
  t.equal(answered + notFound, statuses.length, 'all others are answered as customers are')
})

t.test('an index of one country, and one that has no codes of the United States', async t => {
  for (const keep of ['US', 'GB']) {
    const index = fixtureIndex(
      t.testdir(),
      COUNTRIES.filter(({ country }) => country === keep),
    )
    const statuses = Array.from(exercisesFor(index), exercise => exercise())
    t.equal(statuses.filter(status => status === 200).length, 10, keep)
  }
})

t.test('practice reads no index that has been replaced, and nothing once it is ended', async t => {
  const index = fixtureIndex(t.testdir())
  const other = fixtureIndex(t.testdir())
  for (const ends of [true, false]) {
    let asked = 0
    let present = index
    const end = practise(() => {
      asked++
      return present
    })
    await until(() => asked > 3)
    if (ends) end()
    else present = other
    const before = asked
    for (let turn = 0; turn < 10; turn++) await setImmediate()
    // Once more it asks which index is served.
    t.ok(asked <= before + 1, ends ? 'ended' : 'replaced')
  }
})

t.test('an index that cannot be read ends the practice, and not the thread', async t => {
  let asked = 0
  const end = practise(() => {
    asked++
    return {} as PostalIndex
  })
  await until(() => asked > 1)
  for (let turn = 0; turn < 10; turn++) await setImmediate()
  t.equal(asked, 2, 'at the beginning and in the only turn')
  end()
})
