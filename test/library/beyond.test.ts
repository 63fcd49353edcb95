/** Nearest codes, suggestions and forms: the library answers what the API answers. */
import t from 'tap'
import { sampleCities, sampleCodes } from '../../bench/input/samples.ts'
import { openIndex as openMapped } from '../../src/index/open-index.ts'
import { countriesOf } from '../../src/index/postal-index.ts'
import { type NearestOf, openIndex } from '../../src/library/main.ts'
import { startApp } from '../support/app.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { post } from '../support/post.ts'
import { questionCount, questionFile, questionSeed } from '../support/question-index.ts'
import { seededRandom } from '../support/random.ts'

const SEED = questionSeed()
const SAMPLES = questionCount(120)

t.test('answers equal those of the API', async t => {
  const index = openMapped(questionFile())
  const { baseUrl, key, accounts } = await startApp(t, undefined, { index })
  const [account] = accounts.listAccounts()
  await accounts.credit({ account: account.id, micros: 5_000_000, kind: 'test', reference: 'test' })
  const codes = openIndex(questionFile())
  const random = seededRandom(SEED)
  const ask = (name: string, body: object) => post(baseUrl, `/api/${name}`, { ...body, apiKey: key })
  const samples = sampleCodes(index, SAMPLES, SEED)
  const countries = countriesOf(index).map(({ cc }) => cc)

  const questions: [NearestOf, object][] = samples.flatMap(({ text, country }, i) => {
    const point = {
      latitude: (random(180_000_001) - 90_000_000) / 1e6,
      longitude: (random(360_000_001) - 180_000_000) / 1e6,
    }
    const options = [{}, { radius: random(900) }, { limit: 1 + random(100) }, { country }][i % 4]
    return [
      [point, options],
      [{ zipcode: text }, { ...options, country }],
    ] as [NearestOf, object][]
  })
  questions.push([{ zipcode: 'FOO99' }, {}], [{ zipcode: 2139 }, {}], [{ zipcode: '1' }, { country: 'AQ' }])
  questions.push([{ latitude: -90, longitude: 180 }, { country: 'AQ' }])
  for (const [of, options] of questions) {
    const { status, json } = await ask('nearest', { ...of, ...options })
    t.ok(status === 200 || status === 404, 'it is answered')
    t.same(codes.nearest(of, options), json.results, JSON.stringify([of, options]))
  }

  const typed = [
    ...samples.map(({ text, country }) => [text.slice(0, 1 + random(4)), country]),
    ...sampleCities(index, SAMPLES, SEED).map(({ city, country }) => [
      city.slice(0, 1 + random(6)).trim() || 'a',
      country,
    ]),
    ['st. l', 'US'],
    ['…', 'US'],
    ['x'.repeat(200), 'US'],
    ['a', 'AQ'],
    ['ｓｗ', 'GB'],
    ['sw1', 'uk'],
  ]
  for (const [query, country] of typed) {
    const limit = 1 + random(50)
    const { status, json } = await ask('autocomplete', { query, country, limit })
    t.equal(status, 200)
    const found = codes.autocomplete(query, { country, limit })
    t.same(found, { codes: json.codes, places: json.places }, `${query} in ${country}`)
  }

  for (const country of countries) {
    const { json } = await ask('format', { country })
    t.same(codes.format(undefined, country), { country: json.country, formats: json.formats })
  }
  for (const { text, country } of samples) {
    const { json } = await ask('format', { country, zipcode: text })
    const { country: cc, formats, valid, normalized } = json
    t.same(codes.format(text, country), { country: cc, formats, valid, normalized })
  }
  t.equal((await ask('format', { country: 'AQ' })).status, 404)
  t.equal(codes.format(undefined, 'AQ'), undefined)
})

t.test('wrong codes and countries are not found, wrong numbers throw', async t => {
  const codes = openIndex(writeIndex(t.testdir()))
  t.equal(codes.nearest({ zipcode: '00-001' }, { country: 'PL' }), undefined, 'a code without a position')
  t.equal(codes.nearest({ zipcode: '90210' }, { country: 'XX1' }), undefined)
  const point = { latitude: 34, longitude: -118 }
  t.same(codes.nearest(point, { country: 'XX1' }), [])
  t.same(codes.nearest(point, { country: 'ca' })?.length, 1)
  t.equal(codes.nearest(point, { country: '' })?.length, 10, 'an empty option is an absent one')
  t.same(codes.autocomplete('', {}), { codes: [], places: [] })
  const wrong: [() => unknown, RegExp][] = [
    [() => codes.nearest({ latitude: 91, longitude: 0 }), /latitude is 91, a number from -90 to 90 expected/],
    [() => codes.nearest({ latitude: 0, longitude: Number.NaN }), /longitude is NaN/],
    [() => codes.nearest(point, { radius: -1 }), /radius is -1, a number from 0 to 20040 expected/],
    [
      () => codes.nearest(point, { limit: 10_001 }),
      /limit is 10001, a whole number from 1 to 10000 expected/,
    ],
    [() => codes.nearest(point, { limit: 1.5 }), /limit is 1.5/],
    [() => codes.autocomplete('a', { limit: 51 }), /limit is 51, a whole number from 1 to 50 expected/],
  ]
  for (const [call, message] of wrong) t.throws(call, { name: 'RangeError', message })
})

t.test('a closed index has nothing near and suggests nothing', async t => {
  const [used, unused] = [1, 2].map(() => openIndex(writeIndex(t.testdir())))
  const ask = (codes: typeof used) => [
    codes.nearest({ latitude: 34, longitude: -118 }),
    codes.nearest({ zipcode: '90210' }),
    codes.autocomplete('9'),
    codes.format('90210'),
  ]
  t.notOk(ask(used).includes(undefined))
  for (const codes of [used, unused]) {
    await codes.close()
    t.same(ask(codes), [undefined, undefined, { codes: [], places: [] }, undefined])
  }
})

t.test('all codes of a country, and the distances between two', async t => {
  const folder = t.testdir()
  const codes = openIndex(writeIndex(folder))
  const american = [...codes.codes()]
  t.equal(american.length, codes.countries().find(({ country }) => country === 'US')?.codes)
  t.ok(american.includes('90210') && american.every(code => codes.validate(code)))
  t.same([...codes.codes('uk')], ['SW1A'])
  t.same([...codes.codes('AQ')], [], 'a country without data')

  const near = codes.nearest({ zipcode: '90210' }, { limit: 5 }) ?? []
  t.ok(near.length === 5)
  for (const { postalCode, country, distance } of near)
    t.equal(codes.distance({ zipcode: 90210 }, { zipcode: postalCode, country }), distance)
  t.equal(codes.distance({ latitude: 0, longitude: 0 }, { latitude: 0, longitude: 180 }), 20_015.114)
  t.equal(codes.distance({ zipcode: 'FOO99' }, { zipcode: '90210' }), undefined)
  t.throws(() => codes.distance({ latitude: 91, longitude: 0 }, { zipcode: '90210' }), { name: 'RangeError' })

  const left = codes.codes()
  left.next()
  await codes.close()
  t.ok(left.next().done, 'nothing is read after it was closed')
})

t.test('more codes in process than one answer of the API has', async t => {
  const codes = openIndex(questionFile())
  const near =
    codes.nearest({ latitude: 40.75, longitude: -74 }, { radius: 80, limit: 10_000, country: 'US' }) ?? []
  t.ok(near.length > 500, `${near.length} codes`)
  t.ok(near.every(({ distance }, i) => i === 0 || distance >= near[i - 1].distance))
})
