import t from 'tap'
import { openIndex } from '../../../src/postal/library/node.ts'
import { writeIndex } from '../../support/fixture-index.ts'
import { questionFile } from '../../support/question-index.ts'

t.test('wrong codes and countries are not found, wrong numbers throw', async t => {
  const codes = openIndex(writeIndex(t.testdir()))
  t.equal(codes.nearest({ zipcode: '00-001' }, { country: 'PL' }), undefined, 'a code without a position')
  t.equal(codes.nearest({ zipcode: '90210' }, { country: 'XX1' }), undefined)
  const point = { latitude: 34, longitude: -118 }
  t.equal(codes.nearest(point, { country: 'XX1' }), undefined)
  t.same(codes.nearest(point, { country: 'AD' }), [], 'a country without data')
  const munich = { zipcode: '80331', country: 'DE' }
  t.match(codes.nearest(munich, { limit: 1 }), [{ postalCode: '80331', distance: 0 }])
  t.match(codes.nearest({ ...munich, country: 'XX1' }, { country: 'DE', limit: 1 }), [
    { postalCode: '80331' },
  ])
  t.match(codes.nearest({ ...point, country: 'XX1' }, { limit: 1 }), [{}], 'a point has no country')
  t.same(codes.nearest(point, { country: 'ca' })?.length, 1)
  t.equal(codes.nearest(point, { country: '' })?.length, 10, 'an empty option counts as absent')
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
    [() => codes.list('towns' as never), /the list is towns, one of states, cities, zipcodes expected/],
    [() => codes.autocomplete('a', { limit: 51 }), /limit is 51, a whole number from 1 to 50 expected/],
  ]
  for (const [call, message] of wrong) t.throws(call, { name: 'RangeError', message })
})

t.test('values of any type are not found, and none throws a TypeError', async t => {
  const codes = openIndex(writeIndex(t.testdir()))
  const odd: never[] = [
    ...[null, 5, Number.NaN, true, '', {}, [], () => 1, Symbol('x'), 10n],
    ...[Object.create(null), { toString: null }],
  ] as never[]
  const about = codes as unknown as Record<string, (...args: unknown[]) => unknown>
  for (const value of [undefined as never, ...odd]) {
    for (const name of ['lookup', 'metadata', 'city', 'nearest', 'distance'])
      for (const country of ['US', ...odd]) t.equal(about[name](value, country), undefined, name)
    for (const country of ['US', ...odd]) {
      t.equal(codes.validate(value, country), false)
      t.match(codes.check(value, country), { valid: false, normalized: null })
      t.same(codes.autocomplete(value, { country }), { codes: [], places: [] })
    }
    t.type(codes.knowsCountry(value), 'boolean')
    for (const call of [codes.format(value, 'US'), codes.countries(value)]) t.ok(call)
    for (const option of ['limit', 'offset', 'radius', 'kind'])
      for (const name of ['city', 'nearest', 'autocomplete'])
        try {
          about[name](name === 'nearest' ? { zipcode: '90210' } : '90210', { [option]: value })
        } catch (error) {
          t.match(error, { name: 'RangeError', message: new RegExp(`^${option} is `) })
        }
  }
})

t.test('a closed index finds no nearby codes and no suggestions', async t => {
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

t.test('the library lists all codes of a country and the distance between two', async t => {
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
  for (const country of ['ZZ', 5 as never])
    t.equal(codes.nearest({ latitude: 0, longitude: 0 }, { country }), undefined, 'no country')
  t.throws(() => codes.distance({ latitude: 91, longitude: 0 }, { zipcode: '90210' }), { name: 'RangeError' })

  const left = codes.codes()
  left.next()
  await codes.close()
  t.ok(left.next().done, 'a closed index reads nothing')
})

t.test('a code comes before the others at its position', async t => {
  const codes = openIndex(questionFile())
  const around = (zipcode: string, options = {}) => codes.nearest({ zipcode, country: 'GB' }, options) ?? []
  const shared = [...codes.codes('GB')].filter(code => around(code, { limit: 2 })[1]?.distance === 0)
  t.ok(shared.length > 10, `${shared.length} codes share a position`)
  for (const code of shared)
    for (const limit of [1, 20]) {
      const found = around(code, { limit })
      t.match(found[0], { postalCode: code, country: 'GB', distance: 0 })
      t.equal(found.filter(({ postalCode }) => postalCode === code).length, 1, `${code} once`)
    }
  t.not(around(shared[0], { limit: 1, kind: 'military' })[0]?.postalCode, shared[0], 'it has another kind')
})

t.test('the library returns more codes than one answer of the API', async t => {
  const codes = openIndex(questionFile())
  const near =
    codes.nearest({ latitude: 40.75, longitude: -74 }, { radius: 80, limit: 10_000, country: 'US' }) ?? []
  t.ok(near.length > 500, `${near.length} codes`)
  t.ok(near.every(({ distance }, i) => i === 0 || distance >= near[i - 1].distance))
})
