import t from 'tap'
import { mmdbRecords } from '../../datasets/sources/mmdb.ts'
import { array, double, map, mmdbFile, pointer, text, uint16 } from '../support/mmdb-file.ts'
import { seededRandom } from '../support/random.ts'

t.test('records of every type, and what pointers lead to', async t => {
  const first = map(text('city'), text('Zürich'.normalize('NFD').slice(0, 2)), text('lat'), double(47.5))
  const second = map(pointer(1), array(text('a'), uint16(513)))
  t.same([...mmdbRecords(mmdbFile(first, second))], [{ city: 'Zu', lat: 47.5 }, { city: ['a', 513] }])
})

t.test('a file that is none', async t => {
  t.throws(() => [...mmdbRecords(Buffer.from('<html>'))], /no metadata/)
})

t.test('a file that is cut short or has flipped bits gives records or says that it is damaged', async t => {
  const random = seededRandom(8)
  const records = Array.from({ length: 20 }, (_, i) =>
    map(text('city'), text(`place ${i}`), text('at'), array(double(i), uint16(i)), text('of'), pointer(1)),
  )
  const whole = mmdbFile(map(text('city'), text('first')), ...records)
  for (let i = 0; i < 1000; i++) {
    const damaged = Buffer.from(i % 2 === 0 ? whole.subarray(0, random(whole.length)) : whole)
    if (i % 2 === 1) damaged[random(damaged.length)] ^= 1 << random(8)
    try {
      for (const _ of mmdbRecords(damaged));
    } catch (error) {
      if (!/^mmdb: /.test((error as Error).message)) t.fail(`${i}: ${error}`)
    }
  }
  t.throws(() => [...mmdbRecords(mmdbFile(pointer(0)))], /more than 32 values within each other/, 'a circle')
  t.throws(
    () => [...mmdbRecords(mmdbFile(Buffer.of((2 << 5) | 9)))],
    /the end at byte/,
    'a text without its end',
  )
})
