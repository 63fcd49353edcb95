import t from 'tap'
import { AreaExtents } from '../../build-index/enrich/area-extents.ts'
import { Gazetteer, largest } from '../../build-index/enrich/gazetteer.ts'
import { IsoAreas } from '../../build-index/enrich/iso-codes.ts'
import { mended } from '../../build-index/position/contradicted.ts'
import { addRow, CodeDraft, PlacePool, type Position } from '../../build-index/rows/drafts.ts'
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

/** Returns the position of Oberaudorf's code, changed before the step, after the step. */
function after(change: Partial<Position>, name2 = 'Oberbayern', place = 'Oberaudorf'): Position {
  const pool = new PlacePool()
  const codes = Object.entries(PLACES).map(([key, name]) => {
    const code = new CodeDraft(key, 0)
    addRow(code, pool, row('DE', key, name, { ...UPPER_BAVARIA, ...positionOf(name) }))
    code.position = { ...code.position, grade: 'code' }
    return code
  })
  const at = codes.findIndex(({ key }) => key === '83080')
  const code = codes[at]
  code.replace(0, pool.place(place, pool.admin({ ...code.places[0].admin, name2 }), []))
  code.places[0].city = cityOf(place)
  code.position = { ...code.position, ...change }
  const extents = new AreaExtents('DE', codes, gazetteer)
  const isoAreas = new IsoAreas('DE', [], codes)
  const towns = new Map()
  const draft = { country: 'DE', codes, pool, towns, gazetteer, extents, isoAreas, sources: [] }
  const positions = codes.map(({ position }) => position)
  return mended(draft, codes, positions)[at]
}

t.test('a contradicted position moves to the middle of codes around', async t => {
  const isMoved = ({ lat, lon, grade, reachKm }: Position) =>
    grade === 'area' &&
    reachKm < 100 &&
    Math.abs(lat - ROSENHEIM.lat) < 0.3 &&
    Math.abs(lon - ROSENHEIM.lon) < 0.5
  t.ok(isMoved(after({ ...INGOLSTADT, grade: 'area' })), 'an estimate far from its neighbours')
  t.match(after({ ...INGOLSTADT, grade: 'place' }), INGOLSTADT, "a source's point in its areas stays")
  t.ok(isMoved(after({ ...KIEL, grade: 'place' })), "a source's point in another area does not")
  t.match(after({ ...KIEL, grade: 'place' }, 'Oberbayern', 'Kiel'), KIEL, 'a position at its place stays')
  t.match(after({ ...KIEL, grade: 'code' }), KIEL, 'and one of the code itself')
})

t.test('an estimate without a better position becomes rough', async t => {
  const expected = { ...WUERZBURG, reachKm: Number.POSITIVE_INFINITY }
  t.match(after({ ...WUERZBURG, grade: 'area' }, 'Unterfranken'), expected, 'its area has no other code')
})
