import t from 'tap'
import { keyOf } from '../../build-index/check/keys.ts'
import { type AdminModel, ascending, type CodeModel, type CountryModel } from '../../build-index/model.ts'
import { DEFAULT_SOURCES } from '../../datasets/default-sources.ts'
import { ADMIN_EXTRA, ADMIN_FIELDS, ADMIN_WORDS, adminBefore } from '../../src/postal/format/admin-entry.ts'
import { DEGREE_SCALE, nameOfCode } from '../../src/postal/format/code-entry.ts'
import { formOfCode } from '../../src/postal/index/codes/written.ts'
import type { Country } from '../../src/postal/index/country.ts'
import { countryByText, type PostalIndex } from '../../src/postal/index/postal-index.ts'
import { areaText, placeAdmin, placeCodes, placeName } from '../../src/postal/index/read-place.ts'
import { recordOf } from '../../src/postal/index/record-fields.ts'
import { escapedText, unescaped } from '../../src/postal/index/text-section.ts'
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
  const { key, lat, lon, accuracy, kind, timezone, elevation } = code
  const degrees = [lat, lon].map(degree => Math.round(degree * DEGREE_SCALE))
  const others = [...new Set(places)].sort()
  return JSON.stringify([key, written, ...degrees, accuracy, kind, timezone, elevation, first, ...others])
}

function builtTexts({ codes, rules }: CountryModel): string[] {
  return ascending(codes).map(code => {
    const places = code.places.map(({ name, admin }) => placeText(name, admin))
    return codeText(code, formatCode(code.key, rules.masks), places[0], places)
  })
}

function viewAdmin(index: PostalIndex, admin: number): AdminModel {
  const fields = ADMIN_FIELDS.map((name, field) => [name, areaText(index, admin * ADMIN_WORDS + field)])
  const extra = escapedText(index.text, index.admins[admin * ADMIN_WORDS + ADMIN_EXTRA])
  return { ...Object.fromEntries(fields), extra: unescaped(`{${extra}}`) }
}

function readTexts(index: PostalIndex, country: Country): string[] {
  const { codeStart, codeCount, placeStart, placeCount } = country.meta
  const places = Array.from({ length: codeCount }, (): string[] => [])
  for (let place = placeStart; place < placeStart + placeCount; place++) {
    const text = placeText(placeName(index, place), viewAdmin(index, placeAdmin(index, place)))
    for (const code of placeCodes(index, country, place)) places[code - codeStart].push(text)
  }
  return places.map((own, i) => {
    const code = codeStart + i
    const record = recordOf(index, country, code, formOfCode(index, country, code), { kind: true })
    const { postalCode: written = '', accuracy = '', kind = '', timezone = '' } = record
    const [lat, lon, elevation] = [record.latitude, record.longitude, record.elevation].map(Number)
    const areas = viewAdmin(index, adminBefore(index.text, nameOfCode(index, country, code)))
    const first = placeText(record.placeName ?? '', areas)
    return codeText(
      { key: keyOf(index, country, code), lat, lon, accuracy, kind, timezone, elevation },
      written,
      first,
      own,
    )
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
