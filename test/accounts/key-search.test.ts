/** Searching accounts by a key or its beginning, against a look at every key. */
import t from 'tap'
import { Bench } from './support.ts'

const HOUR_MS = 3_600_000

t.test('every beginning of a key finds its accounts, in every order, and no other', async t => {
  const bench = await Bench.create({ keysMax: 20_000 })
  const { accounts } = bench
  const owners = new Map<string, string>([[bench.secret, bench.accountId]])
  for (let count = 0; count < 30; count++) {
    const { id } = await accounts.createAccount({ email: `${count}@example.org` })
    const keys = await Promise.all(Array.from({ length: 20 }, () => accounts.createKey(id)))
    for (const { key } of keys) owners.set(key, id)
  }
  /** A search can know no more of a key than is shown. */
  const expected = (wanted: string) => {
    const alike = [...owners].filter(([key]) => {
      const start = key.slice(0, 12)
      return start.startsWith(wanted) || wanted.startsWith(start)
    })
    return [...new Set(alike.map(([, id]) => id))].sort()
  }
  const found = (wanted: string, order: 'newest' | 'email' = 'newest') =>
    bench.accounts.search({ wanted, order, perPage: 100 }).accounts.map(({ id }) => id)
  const compare = () => {
    for (const [key] of [...owners].slice(0, 20)) {
      for (let length = 8; length <= key.length; length += length < 13 ? 1 : 30) {
        const wanted = key.slice(0, length)
        t.same(found(wanted).sort(), expected(wanted), wanted)
      }
    }
  }
  compare()
  t.same(
    found('pk_live_'),
    found('').filter(id => expected('pk_live_').includes(id)),
  )
  const emails = accounts.search({ wanted: [...owners.keys()][5].slice(0, 9), order: 'email', perPage: 100 })
  t.same(
    emails.accounts.map(({ email }) => email),
    emails.accounts.map(({ email }) => email).sort(),
  )
  for (const strange of ['pk_live_é', 'pk_live_\u{1f600}\u{1f600}', 'pk_live_--', 'pk_live_~'])
    t.same(found(strange), [], strange)

  let present = bench.secret
  for (let roll = 0; roll < 3; roll++) {
    const { key: next } = await accounts.rollKey(bench.keyId, HOUR_MS)
    t.same(found(present), expected(present), 'the earlier secret')
    owners.set(next, bench.accountId)
    for (const [key, id] of owners)
      if (id === bench.accountId && key !== present && key !== next) owners.delete(key)
    compare()
    present = next
  }
  await bench.restart()
  compare()
})
