/** The list of a city's codes: written forms ascend even where their keys do not, and each is there once. */
import t from 'tap'
import { searchCity } from '../../../src/index/cities/city-search.ts'
import { countryByText } from '../../../src/index/postal-index.ts'
import { code, country, place } from '../../support/countries.ts'
import { fixtureIndex } from '../../support/fixture-index.ts'

const town = place('Riga')
const index = fixtureIndex(t.testdir(), [
  country('LV', [
    code('1001', [town], { written: 'LV-1001' }),
    code('1002', [town], { written: 'A-1002' }),
    code('1003', [town, place('Ogre')], { written: 'LV-1003' }),
  ]),
])
const latvia = countryByText(index, 'LV')
if (!latvia) throw new Error('the index has no LV')

const query = { city: 'Riga', state: undefined, ST: undefined }
t.same(searchCity(index, latvia, query)?.codes, ['A-1002', 'LV-1001', 'LV-1003'])
