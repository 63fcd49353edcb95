import { iso31661 } from 'iso-3166'
import t from 'tap'
import { countryLetters } from '../../../src/postal/library/country-texts.ts'
import { openIndex } from '../../../src/postal/library/node.ts'
import { writeIndex } from '../../support/fixture-index.ts'

t.test('every country of ISO 3166-1 is read by its name and its three codes', async t => {
  for (const { name, alpha2, alpha3, numeric } of iso31661)
    t.same([name, alpha2, alpha3, numeric].map(countryLetters), Array(4).fill(alpha2), name)
})

t.test('a country is read as people write it, and a text that names two is not', async t => {
  for (const [text, cc] of [
    ['Holy See (Vatican City State)', 'VA'],
    ['Netherlands (the)', 'NL'],
    ['Korea (the Republic of)', 'KR'],
    ['Moldova (the Republic of)', 'MD'],
    ['Republic of Moldova', 'MD'],
    ['Congo (the Democratic Republic of the)', 'CD'],
    ['Czech Rep.', 'CZ'],
    ['PRC', 'CN'],
    ['36', 'AU'],
    ['the U.S.A.', 'US'],
    [' u.k. ', 'GB'],
    ['Österreich', 'AT'],
    ['टोगो', 'TG'],
    ['टोंगा', 'TO'],
    ['中国', 'CN'],
    ['America', 'US'],
    ['América', undefined],
    ['Kongo', undefined],
    ['Narnia', undefined],
    ['ZZ', undefined],
    ['__proto__', undefined],
    ['', undefined],
  ] as const)
    t.equal(countryLetters(text), cc, text)
})

t.test('the library takes names of countries', async t => {
  const codes = openIndex(writeIndex(t.testdir()))
  t.same(codes.lookup('80331', 'Deutschland'), codes.lookup('80331', 'DE'))
  t.equal(codes.knowsCountry('DEU'), true)
  t.equal(codes.knowsCountry('Narnia'), false)
  await codes.close()
})
