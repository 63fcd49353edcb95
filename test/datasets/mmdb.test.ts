import tap from 'tap'
import { mmdbRecords } from '../../datasets/mmdb.ts'

const text = (value: string) => Buffer.concat([Buffer.of((2 << 5) | value.length), Buffer.from(value)])
const map = (...pairs: Buffer[]) => Buffer.concat([Buffer.of((7 << 5) | (pairs.length / 2)), ...pairs])
const uint16 = (value: number) => Buffer.of((5 << 5) | 2, value >> 8, value & 255)
const double = (value: number) => {
  const bytes = Buffer.alloc(9)
  bytes[0] = (3 << 5) | 8
  bytes.writeDoubleBE(value, 1)
  return bytes
}
const array = (...items: Buffer[]) => Buffer.concat([Buffer.of(items.length, 4), ...items])
const pointer = (to: number) => Buffer.of((1 << 5) | (to >> 8), to & 255)

/** A file with an empty search tree of one node, 24 bits a record. */
function file(...records: Buffer[]): Buffer {
  const metadata = map(text('node_count'), uint16(1), text('record_size'), uint16(24))
  return Buffer.concat([
    Buffer.alloc(6 + 16),
    ...records,
    Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'),
    metadata,
  ])
}

tap.test('records of every type, and what pointers lead to', async t => {
  const first = map(text('city'), text('Zürich'.normalize('NFD').slice(0, 2)), text('lat'), double(47.5))
  const second = map(pointer(1), array(text('a'), uint16(513)))
  t.same([...mmdbRecords(file(first, second))], [{ city: 'Zu', lat: 47.5 }, { city: ['a', 513] }])
})

tap.test('a file that is none', async t => {
  t.throws(() => [...mmdbRecords(Buffer.from('<html>'))], /no metadata/)
})
