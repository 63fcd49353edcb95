/** Where codes lie, made of rows for the purpose and the real gazetteer: namesakes, mistakes of sources, and what survives. */
import t from 'tap'
import { distanceKm } from '../../build-index/distance.ts'
import { citiesOf } from '../../datasets/reference/cities-500.ts'
import type { Row } from '../../datasets/source.ts'
import { at, city, codesOf } from '../support/models.ts'
import { row, sourceOf } from '../support/sources.ts'

const NUEVO_LEON = { name1: 'Nuevo León', code1: 'NLE' }
const JALISCO = { name1: 'Jalisco', code1: 'JAL' }
/** The gazetteer's numbers of both. */
const ADMIN1: Readonly<Record<string, string>> = { NLE: '19', JAL: '14' }

/** Rows of places of the gazetteer at their own positions, so that it is known where their area lies. */
function known(first: number, fields: typeof JALISCO, names: readonly string[]): Row[] {
  return names.map((name, i) => {
    const { lat, lon } = city('MX', name, ADMIN1[fields.code1])
    return row('MX', String(first + i), name, { ...fields, lat, lon })
  })
}

t.test('a namesake in another area gives no position', async t => {
  const codes = await codesOf([
    ...known(64700, NUEVO_LEON, ['Monterrey', 'San Pedro Garza García', 'Linares', 'Montemorelos']),
    ...known(44700, JALISCO, ['Guadalajara', 'Zapopan', 'Puerto Vallarta', 'Tequila']),
    row('MX', '66999', 'Tequila', NUEVO_LEON),
    row('MX', '66998', 'Nowhere', { ...NUEVO_LEON, name2: 'Puerto Vallarta' }),
  ])
  const jalisco = city('MX', 'Tequila', ADMIN1.JAL)
  for (const key of ['66999', '66998']) {
    const { lat = Number.NaN, lon = Number.NaN } = codes.get(key) ?? {}
    t.notOk(distanceKm(lat, lon, jalisco.lat, jalisco.lon) < 300, `${key} is not in Jalisco`)
  }
})

t.test('a position of a source that lies in another area is replaced by the place', async t => {
  const { lat, lon } = city('MX', 'Guadalajara', ADMIN1.JAL)
  const monterrey = city('MX', 'Monterrey', ADMIN1.NLE)
  const rows = known(64700, NUEVO_LEON, ['San Pedro Garza García', 'Linares', 'Montemorelos'])
  const codes = await codesOf([
    ...rows,
    ...known(44700, JALISCO, ['Guadalajara', 'Zapopan', 'Puerto Vallarta', 'Tequila']),
    row('MX', '64000', 'Monterrey', { ...NUEVO_LEON, lat, lon }),
    row('MX', '64999', 'Nowhere At All', { ...NUEVO_LEON, lat, lon }),
  ])
  t.match(codes.get('64000'), { lat: monterrey.lat, lon: monterrey.lon, accuracy: 4 })
  t.match(codes.get('64999'), { lat: Number.NaN, accuracy: 0 }, 'nothing is better than a wrong position')
  for (const { code, lat, lon } of rows) t.match(codes.get(code), { lat, lon }, `${code} stays`)
})

t.test('a position far from its neighbours and its district is replaced by their middle', async t => {
  const district = { name1: 'Bayern', code1: 'BY', name2: 'Oberbayern' }
  const { lat, lon } = city('DE', 'Rosenheim')
  const near = Array.from({ length: 10 }, (_, i) =>
    row('DE', String(83022 + i), `Hof ${i}`, { ...district, lat: lat + i / 1000, lon, accuracy: 6 }),
  )
  const bayreuth = city('DE', 'Bayreuth')
  const wrong = row('DE', '83026', 'Hof X', { ...district, lat: bayreuth.lat, lon: bayreuth.lon })
  const codes = await codesOf([...near.filter(({ code }) => code !== '83026'), wrong])
  const found = codes.get('83026')
  t.ok(found !== undefined && distanceKm(found.lat, found.lon, lat, lon) < 5)
  t.match(found, { accuracy: 1, grade: 'area' }, 'as an estimate')
})

t.test('an estimate says how far it may be off, and one that may be too far off is left out', async t => {
  const district = { name1: 'Bayern', code1: 'BY', name2: 'Oberbayern' }
  const { lat, lon } = city('DE', 'Rosenheim')
  /** Eight codes, every one at a point of its own so many degrees further west, and one without a position. */
  const codes = (degrees: number, points = 8) =>
    codesOf([
      ...Array.from({ length: 8 }, (_, i) =>
        row('DE', String(83022 + i), `Gut ${'ABCDEFGH'[i]}`, {
          ...district,
          lat,
          lon: lon - degrees * Math.min(i, points - 1),
          accuracy: 6,
        }),
      ),
      row('DE', '83099', 'Gut Z', district),
    ])
  t.match((await codes(0.02)).get('83099'), { accuracy: 1, grade: 'area' }, 'the others lie close together')
  t.match((await codes(0.5)).get('83099'), { lat: Number.NaN, grade: '' }, 'they lie far apart')
  t.match(
    (await codes(0.02, 2)).get('83099'),
    { lat: Number.NaN, grade: '' },
    'two points are two witnesses, however many codes share them',
  )
})

t.test('a code lies where most of its places do, not where its first one has a namesake', async t => {
  const { lat, lon } = city('MX', 'Monterrey', ADMIN1.NLE)
  /** A code of four districts of Monterrey, at points of their own, of which so many lie elsewhere. */
  const code = async (elsewhere: number) => {
    const codes = await codesOf([
      ...known(64700, NUEVO_LEON, ['Monterrey', 'San Pedro Garza García', 'Linares', 'Montemorelos']),
      ...Array.from({ length: 4 }, (_, i) =>
        row('MX', '64710', `Colonia ${i}`, {
          ...NUEVO_LEON,
          lat: i < elsewhere ? lat - 0.5 - i : lat,
          lon: lon + i / 100,
          accuracy: 4,
        }),
      ),
    ])
    const { lat: found = Number.NaN } = codes.get('64710') ?? {}
    return Math.round((lat - found) * 10) / 10
  }
  t.equal(await code(0), 0)
  t.equal(await code(1), 0, 'one of four is wrong')
  t.equal(await code(2), 0.5, 'two against two say nothing: the first one stays')
})

t.test('the number of a level-2 area says where it is, if those of other areas are right', async t => {
  /** By number three names that the gazetteer has once: more than enough areas of which names speak. */
  const areas: Readonly<Record<string, readonly string[]>> = {
    '105': ['Tototlán', 'Ramblas Chico', 'Coina Grande'],
    '107': ['Tuxcueca', 'Tepeguaje', 'San Luis Soyatlán'],
    '109': ['El Saucillo de Primavera', 'San Antonio de la Garza', 'Tlacuitapan'],
    '114': ['Juan Gil Preciado', 'Estipa', 'Atotonilco el Bajo'],
    '123': ['Zapotlán del Rey', 'Tecualtitán', 'Otatlán'],
    '124': ['Zapotlanejo', 'San Joaquín Zorrillos', 'Cerro Santa Fe'],
  }
  const own = city('MX', 'Unión de Tula', ADMIN1.JAL)
  /** Where a code lies that one source estimates 22 km off and another one has there. @param wrong what is added to the others' numbers */
  const kmOff = async (wrong: number) => {
    const rows = Object.entries(areas).flatMap(([number, names]) =>
      names.map((name, i) => {
        const { lat, lon } = city('MX', name, ADMIN1.JAL)
        const code2 = String(Number(number) + wrong)
        return row('MX', `44${number.slice(1)}${i}`, name, { ...JALISCO, name2: names[0], code2, lat, lon })
      }),
    )
    const area = { ...JALISCO, name2: 'Unión', code2: own.admin2 }
    rows.push(row('MX', '48999', 'Nowhere', { ...area, lat: own.lat + 0.2, lon: own.lon, accuracy: 1 }))
    const { lat, lon } = own
    const sources = [
      sourceOf('best', rows, { attribution: 'one' }),
      sourceOf('other', [row('MX', '48999', '', { lat, lon })], { attribution: 'another' }),
    ]
    const code = (await codesOf(rows, { sources })).get('48999')
    return distanceKm(code?.lat ?? 0, code?.lon ?? 0, lat, lon)
  }
  t.ok((await kmOff(0)) < 1, 'the other source surely has it in the area')
  t.ok((await kmOff(300)) > 20, 'numbers of another list are not believed')
})

t.test('where the area of a code is known, another source goes before an estimate', async t => {
  const { lat, lon } = city('MX', 'Zapopan', ADMIN1.JAL)
  // A district without a city of its name, which would be the place of a code that has only a hamlet.
  const zapopan = { ...JALISCO, name2: 'Valles', code2: '120' }
  const rows = ['Zapopan', 'Nextipac', 'La Venta del Astillero'].map((name, i) => {
    const { lat, lon } = city('MX', name, ADMIN1.JAL)
    return row('MX', `4520${i}`, name, { ...zapopan, lat, lon, accuracy: 4 })
  })
  const found = async (attribution: string, accuracy: number, north = 0.2) => {
    const own = row('MX', '45209', 'Nowhere', { ...zapopan, lat: lat + north, lon, accuracy })
    const sources = [
      sourceOf('best', [...rows, own], { attribution: 'the same' }),
      sourceOf('other', [row('MX', '45209', '', { lat, lon })], { attribution }),
    ]
    return (await codesOf(rows, { sources })).get('45209')?.lat
  }
  t.equal(await found('another', 1), lat)
  t.not(await found('positions from the same', 1), lat, 'a copy of its own source says nothing new')
  t.equal(await found('another', 4, 0.15), lat + 0.15, 'the point of a place stays')
  t.equal(await found('another', 1, 0.1), lat + 0.1, 'an estimate that the other one confirms stays')
})

t.test("a position that was found by name is never the code's own", async t => {
  const oslo = at('NO', 'Oslo')
  const codes = await codesOf([
    row('NO', '0150', 'Sandvika', { lat: oslo.lat, lon: oslo.lon - 0.3, accuracy: 6 }),
    row('NO', '0151', 'Sandvika', { lat: oslo.lat, lon: oslo.lon - 0.4, accuracy: 6 }),
    row('NO', '0152', 'Oslo', { ...oslo, lon: oslo.lon + 0.01, accuracy: 6 }),
    row('NO', '0153', 'Oslo'),
  ])
  t.match(codes.get('0152'), { grade: 'code' })
  t.match(codes.get('0153'), { grade: 'place' })
})

t.test('a quarter with the name of another municipality does not lie there', async t => {
  const aichi = { name1: 'Aichi', code1: '23' }
  const codes = await codesOf([
    ...['Toyohashi', 'Nagoya', 'Okazaki', 'Ichinomiya'].map((name, i) =>
      row('JP', `440000${i}`, name, { ...aichi, name2: `${name}-shi`, ...at('JP', name) }),
    ),
    row('JP', '4710000', 'Toyota', { ...aichi, name2: 'Toyota-shi' }),
    row('JP', '4800134', 'Toyota', { ...aichi, name2: 'Oguchi-cho' }),
  ])
  const toyota = at('JP', 'Toyota')
  t.match(codes.get('4710000'), toyota)
  const { lat = Number.NaN, lon = Number.NaN } = codes.get('4800134') ?? {}
  t.notOk(distanceKm(lat, lon, toyota.lat, toyota.lon) < 10)
})

t.test('a town that the gazetteer lacks lies where a source has it without a postal code', async t => {
  const rows = [
    row('NO', '0150', 'Oslo', at('NO', 'Oslo')),
    row('NO', '4544', 'Fossdal'),
    row('NO', '4999', 'Two Of Them'),
  ]
  const towns = [
    { name: 'Fossdal', lat: 58.15, lon: 7.2 },
    { name: 'Two of them', lat: 58.15, lon: 7.2 },
    { name: 'Two of them', lat: 69.1, lon: 18 },
  ]
  const codes = await codesOf(rows, { sources: [sourceOf('best', rows, { towns: () => towns })] })
  t.match(codes.get('4544'), { lat: 58.15, lon: 7.2, grade: 'place' })
  t.match(codes.get('4999'), { lat: Number.NaN }, 'unless there are two of the name')
})

t.test('of several namesakes in a country without areas the neighbours by code decide', async t => {
  const { lat, lon } = city('NO', 'Oslo')
  const near = [1300, 1302, 1303, 1305, 1306].map((code, i) =>
    row('NO', String(code), `Gate ${i}`, { lat: lat - 0.01 * i, lon: lon - 0.3 }),
  )
  const codes = await codesOf([...near, row('NO', '1304', 'Sandvika')])
  const found = codes.get('1304')
  t.ok(found !== undefined && distanceKm(found.lat, found.lon, lat, lon) < 30, 'not in the north')
})

t.test("islands far away have their own positions, not the mainland's", async t => {
  const rows = [
    row('AU', '2000', 'Sydney', { name1: 'New South Wales', code1: 'NSW', lat: -33.87, lon: 151.2 }),
    row('AU', '6798', 'Christmas Island', {
      name1: 'Western Australia',
      code1: 'WA',
      lat: -10.49,
      lon: 105.63,
    }),
    row('AU', '2899', 'Norfolk Island', {
      name1: 'New South Wales',
      code1: 'NSW',
      lat: -33.02,
      lon: 149.44,
    }),
  ]
  for (const country of ['CX', 'NF', 'AU']) {
    const codes = await codesOf(rows, { countries: [country] })
    const near = (key: string, lat: number, lon: number) => {
      const code = codes.get(key)
      t.ok(code !== undefined && distanceKm(code.lat, code.lon, lat, lon) < 30, `${key} of ${country}`)
    }
    if (country !== 'NF') near('6798', -10.45, 105.67)
    if (country !== 'CX') near('2899', -29.03, 167.95)
  }
})

t.test('post of the armed forces abroad keeps its positions', async t => {
  const codes = await codesOf([
    row('US', '10001', 'New York', { name1: 'New York', code1: 'NY', lat: 40.75, lon: -74 }),
    row('US', '09007', 'APO AE', { lat: 49.4077, lon: 8.6908 }),
  ])
  t.match(codes.get('09007'), { lat: 49.4077, lon: 8.6908 })
})

t.test('the time zone of a position near a border is the nearest one of the country', async t => {
  const codes = await codesOf([
    row('PT', '7200-501', 'Mourão', { name1: 'Évora', lat: 38.3, lon: -7.0 }),
    row('PT', '9500-001', 'Ponta Delgada', { name1: 'Azores', lat: 37.74, lon: -25.67 }),
  ])
  t.equal(codes.get('7200501')?.timezone, 'Europe/Lisbon')
  t.equal(codes.get('9500001')?.timezone, 'Atlantic/Azores')
})

t.test('retired names of time zones are renamed', async t => {
  const canada = await codesOf([
    row('CA', 'P7A', 'Thunder Bay', { code1: 'ON', lat: 48.45, lon: -89.2, timezone: 'America/Thunder_Bay' }),
  ])
  t.equal(canada.get('P7A')?.timezone, 'America/Toronto')
  const ukraine = await codesOf([row('UA', '01001', 'Kyiv', { timezone: 'Europe/Kiev' })])
  t.equal(ukraine.get('01001')?.timezone, 'Europe/Kyiv')
})

t.test('where the border of two time zones is near, the codes of the same area decide', async t => {
  const georgia = { name1: 'Georgia', code1: 'GA' }
  const codes = await codesOf([
    ...['30303', '30304', '30305', '30306'].map((code, i) =>
      row('US', code, 'Atlanta', { ...georgia, name2: 'Fulton', lat: 33.75 + i / 100, lon: -84.39 }),
    ),
    row('US', '30124', 'Cave Spring', { ...georgia, name2: 'Floyd', lat: 34.117, lon: -85.338 }),
  ])
  t.equal(codes.get('30124')?.timezone, 'America/New_York')
})

/** Rows of places that the gazetteer has once in France, at their own positions, in one department. */
function french(first: number, number: string, department: string): Row[] {
  const all = citiesOf('FR')
  const names = new Map<string, number>()
  for (const { name } of all) names.set(name, (names.get(name) ?? 0) + 1)
  const places = all.filter(({ name, admin2 }) => admin2 === number && names.get(name) === 1)
  return places.slice(0, 12).map(({ name, lat, lon }, i) => {
    const areas = { name1: 'Normandie', code1: 'NOR', name2: department, code2: number }
    return row('FR', String(first + i * 10), name, { ...areas, lat, lon })
  })
}

t.test('a namesake in another department of the region gives no position', async t => {
  const areas = { name1: 'Normandie', code1: 'NOR', name2: 'Calvados', code2: '14' }
  const codes = await codesOf([
    ...french(14100, '14', 'Calvados'),
    ...french(27100, '27', 'Eure'),
    row('FR', '14490', 'Campigny', areas),
  ])
  const namesake = city('FR', 'Campigny', '28')
  const { lat = Number.NaN, lon = Number.NaN } = codes.get('14490') ?? {}
  t.notOk(distanceKm(lat, lon, namesake.lat, namesake.lon) < 30, 'Campigny in Eure is another place')
})

t.test('a point that several names share is none of theirs where the gazetteer knows better', async t => {
  const rows = french(14100, '14', 'Calvados')
  const shared = rows.slice(4).map(row => ({ ...row, lat: 49.18, lon: -0.37 }))
  const codes = await codesOf([...rows.slice(0, 4), ...shared])
  for (const { code, place } of shared) {
    const own = city('FR', place)
    const { lat = Number.NaN, lon = Number.NaN } = codes.get(code) ?? {}
    t.ok(distanceKm(lat, lon, own.lat, own.lon) < 31, `${place} is at its own place`)
  }
})

t.test('where the larger of two areas is older than a reform, the smaller one decides', async t => {
  const eure = french(27100, '27', 'Eure')
  const wrong = eure.map(row => ({ ...row, name1: 'Bretagne', code1: 'BRE' }))
  const codes = await codesOf([...french(14100, '14', 'Calvados'), ...wrong])
  for (const { code, lat, lon } of wrong) t.match(codes.get(code), { lat, lon }, `${code} stays`)
})
