import t from 'tap'
import { mmdbRecords } from '../../datasets/sources/mmdb.ts'
import { array, double, map, mmdbFile, pointer, text, uint16 } from '../support/mmdb-file.ts'

t.test('records of every type, and what pointers lead to', async t => {
  const first = map(text('city'), text('Zürich'.normalize('NFD').slice(0, 2)), text('lat'), double(47.5))
  const second = map(pointer(1), array(text('a'), uint16(513)))
  t.same([...mmdbRecords(mmdbFile(first, second))], [{ city: 'Zu', lat: 47.5 }, { city: ['a', 513] }])
})
