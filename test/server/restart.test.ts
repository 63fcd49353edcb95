/** Ten thousand charged queries, SIGKILL, a new start: balance, keys and usage are what the replies said. */
import t from 'tap'
import { writeIndex } from '../support/fixture-index.ts'
import { post } from '../support/post.ts'
import { postrieJson, startServer } from '../support/processes.ts'

const BATCHES = 9
const BATCH = 1000
const LOOKUPS = 1000
const QUERIES = BATCHES * BATCH + LOOKUPS
const PRICE_MICROS = 28

t.test('SIGKILL after 10,000 charged queries loses none of them', async t => {
  const folder = t.testdir()
  writeIndex(folder)
  const before = await startServer(folder)
  // It must not outlive a test that fails.
  t.teardown(() => before.child.kill('SIGKILL'))
  const { id } = await postrieJson(folder, ['account', 'create', 'ada@example.com'])
  await postrieJson(folder, ['account', 'credit', id, '5', '--reference', 'first'])
  const { key, id: keyId } = await postrieJson(folder, ['key', 'create', id, '--label', 'restart'])

  const records = Array.from({ length: BATCH }, () => ({ postalCode: '90210', countryCode: 'US' }))
  let balance = 0
  for (let batch = 0; batch < BATCHES; batch++) {
    const answer = await post(before.api, '/api/validate-bulk', { apiKey: key, records })
    t.equal(answer.status, 200)
    balance = JSON.parse(answer.text).balance
  }
  for (let lookup = 0; lookup < LOOKUPS; lookup++) {
    const answer = await post(before.api, '/api/lookup', { apiKey: key, zipcode: '90210' })
    balance = JSON.parse(answer.text).balance
  }
  const micros = 28_000 + 5_000_000 - QUERIES * PRICE_MICROS
  t.equal(balance, micros / 1e6, 'the last reply')
  await before.stop('SIGKILL')

  const after = await startServer(folder)
  t.teardown(() => after.stop())
  const [account] = (await postrieJson(folder, ['account', 'list'])).filter(
    (one: { id: string }) => one.id === id,
  )
  t.equal(account.balance, balance, 'the balance')
  const [listed] = (await postrieJson(folder, ['key', 'list', id])).filter(
    (one: { id: string }) => one.id === keyId,
  )
  t.equal(listed.queries, QUERIES, 'the usage')
  const next = await post(after.api, '/api/lookup', { apiKey: key, zipcode: '90210' })
  t.equal(JSON.parse(next.text).balance, (micros - PRICE_MICROS) / 1e6, 'the key still works')
})
