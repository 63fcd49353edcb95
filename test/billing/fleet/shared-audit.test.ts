import t from 'tap'
import type { FleetDatabase } from '../../../src/billing/fleet/fleet-database.ts'
import { sharedAudit } from '../../../src/billing/fleet/shared-audit.ts'

t.test('lines that come during a stalled query are sent, up to the bound', async t => {
  const sent: string[] = []
  let endStall = () => {}
  const stall = new Promise<void>(resolve => {
    endStall = resolve
  })
  const query = async (sql: string, [, lines]: [string, string[]]) => {
    if (!sql.includes('add_audit')) return []
    await stall
    sent.push(...lines)
    return []
  }
  const database = { connections: { query } } as unknown as FleetDatabase
  const shared = sharedAudit(database, 'node', error => t.fail(String(error)))
  const lines = (first: number, count: number) => Array.from({ length: count }, (_, at) => `${first + at}`)
  for (const line of lines(0, 500)) shared.add(line)
  shared.collect(async () => true)
  await new Promise(resolve => setImmediate(resolve))
  for (const line of lines(500, 20_100)) shared.add(line)
  endStall()
  await shared.close()
  t.same(sent, [...lines(0, 500), ...lines(600, 20_000)], 'only the 100 oldest unsent lines are dropped')
  t.equal(shared.metrics()[0].samples[0].value, 100)
})
