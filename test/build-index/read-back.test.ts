import t from 'tap'
import { viewAdmin, viewCode } from '../../build-index/check/code-view.ts'
import { type AdminModel, ascending, type CodeModel, type CountryModel } from '../../build-index/model.ts'
import { DEFAULT_SOURCES } from '../../datasets/default-sources.ts'
import { ADMIN_FIELDS } from '../../src/postal/format/admin-entry.ts'
import { DEGREE_SCALE } from '../../src/postal/format/code-entry.ts'
import type { Country } from '../../src/postal/index/country.ts'
import { placeAdmin, placeCodes, placeName } from '../../src/postal/index/places.ts'
import { countryByText, type PostalIndex } from '../../src/postal/index/postal-index.ts'
import { formatCode } from '../../src/postal/text/mask.ts'
import { fixtureIndex } from '../support/fixture-index.ts'
import { countryModels } from '../support/models.ts'

/** Countries with full and short codes, letters, masks, several time zones, extra areas, and no positions. */
const COUNTRIES = ['AR', 'AX', 'CA', 'CH', 'PR', 'TW']

function placeText(name: string, admin: AdminModel): string {
  return JSON.stringify([
    name,
    ...ADMIN_FIELDS.map(field => admin[field]),
    Object.entries(admin.extra).sort(),
  ])
}

function codeText(code: Omit<CodeModel, 'places'>, written: string, first: string, places: string[]): string {
  const { key, lat, lon, grade, kind, timezone, elevation } = code
  const degrees = [lat, lon].map(degree => Math.round(degree * DEGREE_SCALE))
  const others = [...new Set(places)].sort()
  return JSON.stringify([key, written, ...degrees, grade, kind, timezone, elevation, first, ...others])
}

function builtTexts({ codes, rules }: CountryModel): string[] {
  return ascending(codes).map(code => {
    const places = code.places.map(({ name, admin }) => placeText(name, admin))
    return codeText(code, formatCode(code.key, rules.masks), places[0], places)
  })
}

function readTexts(index: PostalIndex, country: Country): string[] {
  const { codeStart, codeCount, placeStart, placeCount } = country.meta
  const places = Array.from({ length: codeCount }, (): string[] => [])
  for (let place = placeStart; place < placeStart + placeCount; place++) {
    const text = placeText(placeName(index, place), viewAdmin(index, placeAdmin(index, place)))
    for (const code of placeCodes(index, country, place)) places[code - codeStart].push(text)
  }
  return places.map((own, i) => {
    const view = viewCode(index, country, codeStart + i)
    return codeText(view, view.written, placeText(view.city, viewAdmin(index, view.admin)), own)
  })
}

t.test('every field of every code reads back as the builder had it', async t => {
  const models: CountryModel[] = []
  for await (const model of countryModels({ sources: DEFAULT_SOURCES, countries: COUNTRIES }))
    models.push({ ...model, sources: [] })
  const index = fixtureIndex(t.testdir({}), models)
  for (const model of models) {
    const country = countryByText(index, model.country)
    const [built, read] = [builtTexts(model), country ? readTexts(index, country) : []]
    t.equal(read.length, built.length, `${model.country}: ${built.length} codes`)
    const other = built.findIndex((text, i) => text !== read[i])
    t.equal(read[other], built[other], model.country)
  }
  t.equal(models.length, COUNTRIES.length)
})
