/** Codes whose rows name a part of a city, or somebody who has a code of his own; with the real gazetteer. */
import t from 'tap'
import { codesOf } from '../support/models.ts'
import { row } from '../support/sources.ts'

t.test('a district of Denmark keeps its point of the compass, and is found under its city', async t => {
  const region = { name1: 'Midtjylland' }
  const codes = await codesOf([
    row('DK', '8000', 'Aarhus C', { ...region, lat: 56.157, lon: 10.21 }),
    row('DK', '8210', 'Aarhus V', { ...region, lat: 56.168, lon: 10.16 }),
    row('DK', '1050', 'København K', { name1: 'Hovedstaden', lat: 55.68, lon: 12.58 }),
  ])
  const names = (key: string) => codes.get(key)?.places.map(({ name }) => name)
  t.same(names('8210'), ['Aarhus V'], 'the V of Vest is not a Roman numeral')
  t.same(names('8000'), ['Aarhus C'])
  for (const key of ['8000', '8210']) t.ok(codes.get(key)?.places[0].aliases.includes('Aarhus'), key)
  const copenhagen = codes.get('1050')?.places[0].aliases
  for (const name of ['København', 'Copenhagen']) t.ok(copenhagen?.includes(name), name)
})

t.test('a code that only an organisation has is answered with its municipality', async t => {
  const bavaria = { name1: 'Bayern', code1: 'BY' }
  const munich = { ...bavaria, name3: 'Kreisfreie Stadt München', code3: '09162' }
  const codes = await codesOf([
    row('DE', '80331', 'München', { ...munich, lat: 48.135, lon: 11.57 }),
    row('DE', '80300', 'Bayerischer Rundfunk', { ...munich, lat: 48.144, lon: 11.555 }),
    row('DE', '83022', 'Rosenheim', { ...bavaria, lat: 47.856, lon: 12.128 }),
    row('DE', '83018', 'Muster Versand GmbH', {
      ...bavaria,
      name3: 'Landkreis Rosenheim',
      lat: 47.856,
      lon: 12.128,
    }),
    row('DE', '83140', 'Weiler Ohne Eintrag', { ...bavaria, name3: 'Rosenheim', lat: 47.86, lon: 12.2 }),
  ])
  const names = (key: string) => codes.get(key)?.places.map(({ name }) => name)
  t.same(names('80300'), ['München', 'Bayerischer Rundfunk'])
  t.same(names('83018'), ['Rosenheim', 'Muster Versand GmbH'])
  t.same(names('83140'), ['Weiler Ohne Eintrag'], 'a district with the name of a city is not the city')
})
