/** Cities that no row names are found by the codes of their parts; with the real gazetteer. */
import t from 'tap'
import type { CodeModel } from '../../build-index/model.ts'
import { codesOf } from '../support/models.ts'
import { row } from '../support/sources.ts'

/** Names of the places of a code, the primary one first. */
const namesIn = (codes: ReadonlyMap<string, CodeModel>, key: string) =>
  codes.get(key)?.places.map(({ name }) => name)

const PUNJAB = { name1: 'Punjab', code1: '04' }
const FAR = { lat: 28.16, lon: 70.7 }

t.test('parts that begin with the name of the city', async t => {
  const codes = await codesOf([
    row('PK', '54000', 'Lahore Gpo', { ...PUNJAB, lat: 31.58, lon: 74.33, accuracy: 4 }),
    row('PK', '54770', 'Lahore Township', { ...PUNJAB, ...FAR, accuracy: 1 }),
    row('PK', '54771', 'Lahore Elsewhere', { ...PUNJAB, ...FAR, accuracy: 4 }),
    row('PK', '54772', 'Lahorepur', { ...PUNJAB, lat: 31.58, lon: 74.33, accuracy: 4 }),
    row('PK', '36280', 'Nawan Lahore', { ...PUNJAB, lat: 31.32, lon: 72.73, accuracy: 4 }),
  ])
  t.same(namesIn(codes, '54000'), ['Lahore Gpo', 'Lahore'], 'the part stays the primary place')
  t.same(namesIn(codes, '54770'), ['Lahore Township', 'Lahore'], 'an estimated position is not evidence')
  t.same(namesIn(codes, '54771'), ['Lahore Elsewhere'], 'a sure position far away is')
  t.same(namesIn(codes, '54772'), ['Lahorepur'], 'whole words')
  t.same(namesIn(codes, '36280'), ['Nawan Lahore'], 'words at the beginning')
  const [, lahore] = codes.get('54000')?.places ?? []
  t.same(lahore.admin, codes.get('54000')?.places[0].admin, 'the city lies in the areas of its part')
  t.ok(lahore.aliases.includes('لاہور'), 'and has the other names of the gazetteer')
})

t.test('areas that have the name of the city', async t => {
  const istanbul = { name1: 'İstanbul', code1: '34' }
  const codes = await codesOf([
    row('TR', '34500', 'Merkezköy', {
      ...istanbul,
      name2: 'Büyükçekmece',
      lat: 41.01,
      lon: 28.54,
      accuracy: 3,
    }),
    row('TR', '34998', 'Uzak', { ...istanbul, name2: 'Far', lat: 41.0, lon: 28.2, accuracy: 3 }),
    row('TR', '34999', 'Uzak', { ...istanbul, name2: 'Estimated', lat: 41.0, lon: 28.2, accuracy: 1 }),
  ])
  t.same(namesIn(codes, '34500')?.at(-1), 'Istanbul')
  t.not(namesIn(codes, '34500')?.[0], 'Istanbul')
  t.notOk(namesIn(codes, '34998')?.includes('Istanbul'), 'more than 50 km away')
  t.ok(namesIn(codes, '34999')?.includes('Istanbul'), 'the same, by estimate')
})

t.test('an area with the name of a city that lies in another one', async t => {
  const province = { name1: 'Buenos Aires', code1: 'B' }
  const codes = await codesOf([
    row('AR', '7600', 'Mar del Plata', { ...province, lat: -38.0, lon: -57.56, accuracy: 4 }),
    row('AR', '8000', 'Bahía Blanca', { ...province, lat: -38.72, lon: -62.27, accuracy: 4 }),
    row('AR', '1871', 'Isla Maciel', { ...province, lat: -34.63, lon: -58.37, accuracy: 4 }),
  ])
  t.same(namesIn(codes, '1871'), ['Isla Maciel'], 'the codes of the suburbs are not those of the capital')
})

t.test('codes within the circle of a city that no row hints at', async t => {
  const sindh = { name1: 'Sindh', code1: '05', lat: 24.86, lon: 67.01 }
  const rows = [
    row('PK', '74400', 'Saddar Bazar Post', { ...sindh, accuracy: 4 }),
    row('PK', '74401', 'Somewhere Post', { ...sindh, accuracy: 1 }),
    row('PK', '74402', 'Outside Post', { ...sindh, lat: 25.4, accuracy: 4 }),
  ]
  const codes = await codesOf(rows)
  t.same(namesIn(codes, '74400'), ['Saddar Bazar Post', 'Karachi'])
  t.same(namesIn(codes, '74401'), ['Somewhere Post'], 'its position is an estimate')
  t.same(namesIn(codes, '74402'), ['Outside Post'])
  const named = await codesOf([...rows, row('PK', '74000', 'Karachi', { ...sindh, accuracy: 4 })])
  t.same(namesIn(named, '74000'), ['Karachi'])
  t.same(namesIn(named, '74400'), ['Saddar Bazar Post'], 'a city that a row names has the codes of its rows')
})

t.test('names in two scripts', async t => {
  const codes = await codesOf([row('BG', '1000', 'София / Sofija', { lat: 42.68, lon: 23.32, accuracy: 4 })])
  const [{ name, aliases }] = codes.get('1000')?.places ?? []
  t.equal(name, 'София / Sofija')
  for (const other of ['София', 'Sofija', 'Sofia']) t.ok(aliases.includes(other), other)
})
