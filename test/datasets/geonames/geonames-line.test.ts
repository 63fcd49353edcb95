import t from 'tap'
import { geonamesRows, parseGeonamesLine } from '../../../datasets/geonames/geonames-line.ts'
import { row } from '../../../datasets/row.ts'
import { geonamesLine } from '../../support/zip-file.ts'

t.test('a line is a row', async t => {
  t.same(
    parseGeonamesLine('LU\tL-4968\tSchouweiler\tCapellen\tCA\tDippach\t03\t\t\t49.5789\t5.9572\t6'),
    row('LU', 'L-4968', 'Schouweiler', {
      name1: 'Capellen',
      code1: 'CA',
      name2: 'Dippach',
      code2: '03',
      lat: 49.5789,
      lon: 5.9572,
      accuracy: 6,
    }),
  )
  t.same(parseGeonamesLine(geonamesLine('CC', '6799', 'West Island')), row('CC', '6799', 'West Island'))
  t.equal(
    [...geonamesRows('AD\tAD100\tCanillo\t\t\t\t\t\t\t\t\t\nAD\tAD200\tEncamp\t\t\t\t\t\t\t\t\t')].length,
    2,
  )
})

t.test('a damaged line says what is wrong', async t => {
  const bad: [line: string, reason: string][] = [
    ['', '1 columns instead of 12'],
    ['US\t90210\tBeverly Hills', '3 columns instead of 12'],
    [geonamesLine('us', '90210', 'Beverly Hills'), 'country "us"'],
    [geonamesLine('US', '', 'Beverly Hills'), 'no postal code'],
    [geonamesLine('US', '90210', 'X', { lat: '91', lon: '0' }), 'latitude "91"'],
    [geonamesLine('US', '90210', 'X', { lat: '1', lon: 'east' }), 'longitude "east"'],
    [geonamesLine('US', '90210', 'X', { accuracy: '9' }), 'accuracy "9"'],
  ]
  for (const [line, reason] of bad) t.equal(parseGeonamesLine(line), reason)
})
