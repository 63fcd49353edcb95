/** Sectors of municipalities whose sources have only the first code, and the spelling of names. */
import t from 'tap'
import { openIndex } from '../../src/library/main.ts'
import { DEFAULT_INDEX } from '../support/default-index.ts'
import { at, codesOf } from '../support/models.ts'
import { row, sourceOf } from '../support/sources.ts'

t.test('a large city has the sectors up to the next municipality', async t => {
  const place = (code: string, name: string, name1: string) =>
    row('BR', code, name, { name1, ...at('BR', name) })
  const codes = await codesOf([
    place('06000-000', 'Osasco', 'São Paulo'),
    place('06300-000', 'Carapicuíba', 'São Paulo'),
    place('06440', 'Barueri', 'São Paulo'),
    place('07940-000', 'Francisco Morato', 'São Paulo'),
    place('20000-000', 'Rio de Janeiro', 'Rio de Janeiro'),
    place('23800-000', 'Itaguaí', 'Rio de Janeiro'),
    place('58887-000', 'Bom Sucesso', 'Paraíba'),
  ])
  const city = (key: string) => codes.get(key)?.places[0].name
  t.equal(city('06000'), 'Osasco', 'the first sector')
  t.equal(city('06299'), 'Osasco', 'and the last')
  t.equal(codes.get('06299')?.grade, 'area', 'at the position of the city')
  t.equal(city('06439'), 'Carapicuíba')
  t.equal(city('07999'), 'Francisco Morato', 'the end of the region is the end of a city')
  t.equal(city('08000'), undefined)
  t.equal(city('22041'), 'Rio de Janeiro', 'unless it has more than a million people')
  t.equal(city('58887'), 'Bom Sucesso')
  t.equal(city('58888'), undefined, 'a small town has one sector')
})

t.test('full codes of Brazil and Argentina lead to their city in the default index', async t => {
  const codes = openIndex(DEFAULT_INDEX)
  t.match(codes.lookup('01310-100', 'BR'), { city: 'São Paulo', state: 'São Paulo', ST: 'SP' })
  t.match(codes.lookup('08210-000', 'BR'), { city: 'São Paulo' }, 'its second range')
  t.match(codes.lookup('C1425DKB', 'AR'), { city: 'Buenos Aires', state: 'Ciudad Autónoma de Buenos Aires' })
  t.notOk(codes.validate('99999-999', 'BR'))
  await codes.close()
})

t.test('full codes of Chile and China lead to their municipality', async t => {
  const codes = await codesOf([row('CL', '7500000', 'Providencia'), row('CL', '7550000', 'Las Condes')])
  t.equal(codes.get('754')?.places[0].name, 'Providencia')
  t.equal(codes.get('755')?.places[0].name, 'Las Condes')
  const chinese = await codesOf([row('CN', '311300', "Chun'an County"), row('CN', '311500', 'Jiande')])
  t.strictSame([...chinese.keys()].sort(), ['3113', '311300', '3115', '311500'])
})

t.test('names in capitals and without accents are spelled as the gazetteer does', async t => {
  const names = async (country: string, ...names: readonly string[]) => {
    const rows = names.map((name, i) => row(country, String(1000 + i), name))
    const codes = await codesOf(rows, { sources: [sourceOf('best', rows)] })
    return [...codes.values()].map(({ places }) => places[0].name)
  }
  t.strictSame(await names('AR', 'CORDOBA', 'PASO DEL REY'), ['Córdoba', 'Paso del Rey'])
  t.strictSame(await names('CO', 'Medellin', 'Cali'), ['Medellín', 'Cali'])
  const swedish = ['Uppsala', 'Lund', 'Luleå', 'IKEA HK']
  t.strictSame(await names('SE', 'STOCKHOLM', ...swedish), ['Stockholm', ...swedish])
  t.strictSame(await names('US', 'Canon City'), ['Canon City'], 'as its post writes')
})
