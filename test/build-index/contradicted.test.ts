import t from 'tap'
import { AreaExtents } from '../../build-index/enrich/area-extents.ts'
import { mendContradicted } from '../../build-index/enrich/contradicted.ts'
import { Gazetteer, largest } from '../../build-index/enrich/gazetteer.ts'
import { IsoAreas } from '../../build-index/enrich/iso-codes.ts'
import { addRow, CodeDraft, PlacePool } from '../../build-index/rows/drafts.ts'
import type { City } from '../../datasets/reference/cities-500.ts'
import { row } from '../../datasets/row.ts'

const gazetteer = new Gazetteer('DE')
const cityOf = (name: string) => largest(gazetteer.cities.filter(city => city.name === name)) as City
const positionOf = (name: string) => ({ lat: cityOf(name).lat, lon: cityOf(name).lon })

const UPPER_BAVARIA = { name1: 'Bayern', code1: 'BY', name2: 'Oberbayern' }
/** Codes and places around Rosenheim. */
const PLACES = {
  83022: 'Rosenheim',
  83043: 'Bad Aibling',
  83059: 'Kolbermoor',
  83064: 'Raubling',
  83071: 'Stephanskirchen',
  83080: 'Oberaudorf',
  83209: 'Prien am Chiemsee',
  83233: 'Bernau am Chiemsee',
  83253: 'Rimsting',
}
const ROSENHEIM = positionOf('Rosenheim')
/** In the same areas as Rosenheim, and far from its codes. */
const INGOLSTADT = positionOf('Ingolstadt')
const WUERZBURG = positionOf('Würzburg')
const KIEL = positionOf('Kiel')

/** Returns the code of Oberaudorf, changed before the step, after the step. */
function mended(change: Partial<CodeDraft>, name2 = 'Oberbayern', place = 'Oberaudorf'): CodeDraft {
  const pool = new PlacePool()
  const codes = Object.entries(PLACES).map(([key, name]) => {
    const code = new CodeDraft(key, 0)
    addRow(code, pool, row('DE', key, name, { ...UPPER_BAVARIA, ...positionOf(name) }))
    return Object.assign(code, { grade: 'code' })
  })
  const code = codes.find(({ key }) => key === '83080') as CodeDraft
  code.replace(0, pool.place(place, pool.admin({ ...code.places[0].admin, name2 }), []))
  code.places[0].city = cityOf(place)
  Object.assign(code, change)
  const extents = new AreaExtents('DE', codes, gazetteer)
  const isoAreas = new IsoAreas('DE', [], codes)
  const towns = new Map()
  mendContradicted({ country: 'DE', codes, pool, towns, gazetteer, extents, isoAreas, sources: [] })
  return code
}

t.test('a contradicted position moves to the middle of codes around', async t => {
  const isMended = ({ lat, lon, grade, reachKm }: CodeDraft) =>
    grade === 'area' &&
    reachKm < 100 &&
    Math.abs(lat - ROSENHEIM.lat) < 0.3 &&
    Math.abs(lon - ROSENHEIM.lon) < 0.5
  t.ok(isMended(mended({ ...INGOLSTADT, grade: 'area' })), 'an estimate far from its neighbours')
  t.match(mended({ ...INGOLSTADT, grade: 'place' }), INGOLSTADT, "a source's point in its areas stays")
  t.ok(isMended(mended({ ...KIEL, grade: 'place' })), "a source's point in another area does not")
  t.match(mended({ ...KIEL, grade: 'place' }, 'Oberbayern', 'Kiel'), KIEL, 'a position at its place stays')
  t.match(mended({ ...KIEL, grade: 'code' }), KIEL, 'and one of the code itself')
})

t.test('an estimate without a better position becomes rough', async t => {
  const expected = { ...WUERZBURG, reachKm: Number.POSITIVE_INFINITY }
  t.match(mended({ ...WUERZBURG, grade: 'area' }, 'Unterfranken'), expected, 'its area has no other code')
})
