import { randomUUID } from 'node:crypto'
import t from 'tap'
import { openPostgresStore } from '../../src/fleet/postgres-store.ts'
import { freshSchema, sharedPostgres, stopSharedPostgres } from '../support/postgres.ts'

t.teardown(stopSharedPostgres)
t.test('smoke', async () => {
  const server = await sharedPostgres()
  const store = await openPostgresStore(server.url, { schema: freshSchema() })
  const node = randomUUID()
  const { epoch } = await store.begin(node, { address: 'a', version: '1', indexBuild: 'x' })
  const id = { node, epoch }
  console.log(await store.settle(id, []))
  console.log(
    await store.commit(id, 0, [
      { kind: 'account', slot: 0, id: 'a', email: 'e' },
      {
        kind: 'credit',
        account: 0,
        micros: 28000,
        debtPaidMicros: 0,
        credit: 'free',
        reference: 'r',
        note: '',
      },
    ]),
  )
  console.log(
    await store.commit(id, 1, [
      { kind: 'key', slot: 1, id: 'k', account: 0, label: '', start: '', hash: 'h' },
    ]),
  )
  await store.commit(id, 2, [{ kind: 'cap', key: 1, micros: 2800 }])
  await store.commit(id, 3, [
    { kind: 'limits', account: 0, limits: { perMinute: 10, perHour: null, perDay: null } },
  ])
  const want = {
    account: 0,
    key: 1,
    neededMicros: 28,
    aheadMicros: 280,
    neededAdmissions: 1,
    aheadAdmissions: 3,
  }
  console.dir(
    await store.exchange(id, { number: 1, reports: [], admitted: [], returns: [], wants: [want] }),
    { depth: 9 },
  )
  const x2 = {
    number: 2,
    reports: [{ key: 1, queries: [1, 2] }],
    admitted: [{ account: 0, queries: 1 }],
    returns: [{ account: 0, micros: 28, admissions: 1, caps: [{ key: 1, micros: 28 }] }],
    wants: [],
  }
  console.dir(await store.exchange(id, x2), { depth: 9 })
  console.dir(await store.exchange(id, x2), { depth: 9 })
  const image = await store.image()
  for await (const c of image.committed) console.dir(c, { depth: 9 })
  for await (const c of image.hours) console.log(c)
  await image.close()
  console.log(image.position, await store.changes(0, '0'), await store.changes(4, image.position))
  console.log(await store.recall(id, 0, 1000))
  console.dir(await store.status(), { depth: 9 })
  await store.close()
})
