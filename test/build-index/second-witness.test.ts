import t from 'tap'
import { kmBetweenDegrees } from '../../build-index/distance.ts'
import type { CodeModel } from '../../build-index/model.ts'
import { row } from '../../datasets/row.ts'
import type { Row } from '../../datasets/source.ts'
import { codesOf, positionOf } from '../support/models.ts'
import { sourceOf } from '../support/sources.ts'

const PUNJAB = { name1: 'Punjab', code1: '04' }
const BAVARIA = { name1: 'Bayern', code1: 'BY' }

/** Rows of places at their own positions. They show where their area lies. */
function knownRows(country: string, first: number, fields: object, names: readonly string[]): Row[] {
  return names.map((name, i) =>
    row(country, String(first + i), name, { ...fields, ...positionOf(country, name), accuracy: 4 }),
  )
}

async function buildCodes(rows: readonly Row[], other: readonly Row[] = []): Promise<Map<string, CodeModel>> {
  const sources = [
    sourceOf('best', rows, { attribution: 'one' }),
    sourceOf('other', other, { attribution: 'another' }),
  ]
  return codesOf(rows, { sources })
}

function kmOff(code: CodeModel | undefined, { lat, lon }: { lat: number; lon: number }): number {
  return kmBetweenDegrees(code?.lat ?? Number.NaN, code?.lon ?? Number.NaN, lat, lon)
}

const PAKISTAN = knownRows('PK', 38000, PUNJAB, ['Faisalabad', 'Jaranwala', 'Gojra', 'Sargodha', 'Multan'])

t.test('two witnesses outvote the position of a source', async t => {
  const kasur = positionOf('PK', 'Kasur')
  const off = { lat: kasur.lat, lon: kasur.lon - 0.4 }
  const found = async (name: string, accuracy: number, other: { lat: number; lon: number } | undefined) => {
    const own = row('PK', '55050', name, { ...PUNJAB, ...off, accuracy })
    return (await buildCodes([...PAKISTAN, own], other ? [row('PK', '55050', '', other)] : [])).get('55050')
  }
  const near = { lat: kasur.lat + 0.05, lon: kasur.lon }
  t.match(await found('Kasur', 4, near), kasur, 'the gazetteer and another source')
  t.match(await found('Kasur Gpo', 4, near), kasur, "by the town of a post office's name")
  t.match(await found('Kasur Engineering University', 1, near), kasur, 'the beginning of the name counts')
  t.match(await found('Kasur', 4, off), off, 'two sources count like a source and the gazetteer')
  t.match(await found('Nowhere', 4, near), off, 'another source alone does not outvote it')
})

t.test('a position far from all other codes of its area is replaced', async t => {
  const rows = ['Rosenheim', 'Kolbermoor', 'Bad Aibling', 'Stephanskirchen', 'Raubling', 'Prien am Chiemsee']
  const near = rows.map((name, i) =>
    row('DE', String(83022 + i), name, { ...BAVARIA, name2: 'Oberbayern', ...positionOf('DE', name) }),
  )
  const hof = { ...BAVARIA, name2: 'Oberbayern', ...positionOf('DE', 'Rosenheim'), accuracy: 4 }
  const codes = await buildCodes(
    [...near, row('DE', '83025', 'Hof', hof)],
    [row('DE', '83025', '', positionOf('DE', 'Hof'))],
  )
  t.ok(kmOff(codes.get('83025'), hof) < 20, 'Hof in the north has a hamlet for its namesake')
})

t.test('adjacent codes and the gazetteer outvote a source', async t => {
  const area = { name1: 'Sinaloa', code1: 'SIN', name2: 'Mazatlán', code2: '012' }
  const mazatlan = positionOf('MX', 'Mazatlán')
  const near = Array.from({ length: 8 }, (_, i) =>
    row('MX', String(82210 + i), 'Mazatlán', { ...area, ...mazatlan, lon: mazatlan.lon + i / 500 }),
  )
  const found = async (degrees: number) => {
    const own = row('MX', '82214', 'Mazatlán', { ...area, ...mazatlan, lon: mazatlan.lon + degrees })
    return (await buildCodes([...near.filter(({ code }) => code !== own.code), own])).get(own.code)
  }
  t.match(await found(0.4), mazatlan, 'a village of the same municipality is not meant')
  t.match(await found(0.2), { lon: mazatlan.lon + 0.2 }, 'a suburb stays')
})

t.test('an estimate is replaced by the place of the code in the same municipality', async t => {
  const area = { name1: 'Coahuila', code1: 'COA', name2: 'Saltillo', code2: '030' }
  const saltillo = positionOf('MX', 'Saltillo')
  const rows = knownRows('MX', 25300, area, ['Saltillo', 'Agua Nueva'])
  const off = { lat: saltillo.lat - 0.2, lon: saltillo.lon }
  const found = async (accuracy: number) => {
    const own = row('MX', '25090', 'Saltillo', { ...area, ...off, accuracy })
    return (await buildCodes([...rows, own])).get('25090')
  }
  t.match(await found(1), { ...saltillo, grade: 'place' })
  t.match(await found(4), off, 'the point of a quarter stays')
})

t.test('a point that two names share is replaced by the point of the one place', async t => {
  const area = { name1: 'Andhra Pradesh', code1: 'AP', name2: 'Chittoor', code2: '554' }
  const tirupati = positionOf('IN', 'Tirupati')
  const off = { lat: tirupati.lat - 0.15, lon: tirupati.lon - 0.4, accuracy: 3 }
  const codes = await buildCodes([
    ...knownRows('IN', 517100, area, ['Madanapalle', 'Palmaner', 'Nagari', 'Renigunta', 'Kuppam']),
    row('IN', '517501', 'Tirupati', { ...area, ...off }),
    row('IN', '517504', 'Nowhere', { ...area, ...off }),
  ])
  t.match(codes.get('517501'), tirupati)
  t.match(codes.get('517504'), { lat: off.lat })
})

t.test('an estimate that another source contradicts is removed', async t => {
  const own = { ...PUNJAB, lat: 31.4, lon: 72.5, accuracy: 1 }
  const found = async (kmEast: number) => {
    const other = row('PK', '38990', '', { lat: 31.4, lon: 72.5 + kmEast / 95 })
    return (await buildCodes([...PAKISTAN, row('PK', '38990', 'Nowhere', own)], [other])).get('38990')
  }
  t.match(await found(15), { lat: 31.4, grade: 'area' })
  t.match(await found(60), { lat: Number.NaN, grade: '' }, 'neither source is confirmed')
})

t.test('adjacent codes do not confirm a namesake that all of them have', async t => {
  const rosenheim = positionOf('DE', 'Rosenheim')
  const around = [83022, 83023, 83024, 83040, 83041, 83042].map((code, i) =>
    row('DE', String(code), `Hof ${i}`, { ...BAVARIA, lat: rosenheim.lat + i / 100, lon: rosenheim.lon }),
  )
  const run = Array.from({ length: 9 }, (_, i) => row('DE', String(83030 + i), 'Landshut', BAVARIA))
  const other = knownRows('DE', 84000, BAVARIA, ['Dingolfing', 'Moosburg', 'Straubing'])
  const codes = await buildCodes([...around, ...run, ...other])
  for (const { code } of run)
    t.notOk(kmOff(codes.get(code), positionOf('DE', 'Landshut')) < 45, `${code} is not in Landshut`)
})

t.test('the main place of a large code keeps its own point', async t => {
  const area = { name1: 'Victoria', code1: 'VIC', name2: 'Horsham' }
  const horsham = positionOf('AU', 'Horsham')
  const villages = Array.from({ length: 5 }, (_, i) =>
    row('AU', '3400', `Hamlet ${i}`, { ...area, lat: horsham.lat + 0.25, lon: horsham.lon + i / 100 }),
  )
  const codes = await buildCodes([row('AU', '3400', 'Horsham', { ...area, ...horsham }), ...villages])
  t.match(codes.get('3400'), { places: [{ name: 'Horsham' }], ...horsham })
})

t.test('an estimate far from all adjacent codes is removed, even if a source repeats it', async t => {
  const towns = ['Rosenheim', 'Kolbermoor', 'Bad Aibling', 'Stephanskirchen', 'Raubling', 'Prien am Chiemsee']
  const near = knownRows('DE', 83022, BAVARIA, towns)
  const far = { lat: positionOf('DE', 'Hof').lat, lon: positionOf('DE', 'Hof').lon + 0.1 }
  for (const [accuracy, isKept] of [
    [1, false],
    [4, true],
  ] as const) {
    const own = row('DE', '83025', 'Nirgendsweiler', { ...BAVARIA, ...far, accuracy })
    const rows = [...near.filter(({ code }) => code !== own.code), own]
    const found = (await buildCodes(rows, [row('DE', own.code, '', far)])).get(own.code)
    t.equal(found?.lat === far.lat, isKept, `accuracy ${accuracy}`)
  }
})
