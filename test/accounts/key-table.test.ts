/** The shared table of keys against a map. */
import { hash, randomBytes } from 'node:crypto'
import t from 'tap'
import { KeyTable } from '../../src/accounts/live/key-table.ts'

const hashOf = (text: string) => hash('sha256', text, 'base64url')

function add(table: KeyTable, text: string, slot: number): number {
  const bytes = Buffer.from(`..${text}..`)
  return table.add(bytes, 2, bytes.length - 2, slot)
}

t.test('every key is found by its hash, also in a table that has taken over another', async t => {
  const KEYS = 1024
  const first = KeyTable.for(KEYS)
  for (let slot = 0; slot < KEYS; slot++) {
    const text = hashOf(`key ${slot}`)
    t.equal(
      add(first, text, slot),
      Buffer.from(text, 'base64url').readInt32LE(0),
      'the first word of the hash',
    )
  }
  const second = KeyTable.for(KEYS * 2)
  second.addAll(first)
  const other = new KeyTable(second.memory)
  for (const table of [first, second, other]) {
    for (let slot = 0; slot < KEYS; slot++)
      if (table.find(hashOf(`key ${slot}`))?.slot !== slot) t.fail(`key ${slot}`)
    for (let slot = 0; slot < KEYS; slot++)
      if (table.find(hashOf(`no key ${slot}`)) !== undefined) t.fail('found')
  }
})

t.test('of equal hashes the newest counts, and a hash of no form harms nobody', async t => {
  const table = KeyTable.for(16)
  const text = hashOf('key')
  add(table, text, 3)
  add(table, text, 4)
  t.equal(table.find(text)?.slot, 4)
  for (const strange of ['', 'h', 'no base64 \u{1f600}', '=', 'A'.repeat(100)]) {
    add(table, strange, 5)
    t.equal(table.find(strange)?.slot, 5, strange)
  }
  t.equal(table.find(text)?.slot, 4)
  t.equal(table.find(randomBytes(32).toString('base64url')), undefined)
})
