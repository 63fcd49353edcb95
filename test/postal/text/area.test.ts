import t from 'tap'
import { areaKey } from '../../../src/postal/text/area.ts'
import { cityKey } from '../../../src/postal/text/city.ts'

t.test('an area matches with or without its kind', async t => {
  const same: [string, string][] = [
    ['Skåne län', 'Skåne'],
    ['Mestna Občina Kranj', 'Kranj'],
    ['Raionul Calarasi', 'Călărași'],
    ['Seoul-teukbyeolsi', 'Seoul'],
    ['Stockholms län', 'Stockholm'],
    ['Region Nordjylland', 'Nordjylland'],
    ['County Galway', 'Co. Galway'],
    ['Provincia de Buenos Aires', 'Buenos Aires'],
    ['State of Texas', 'Texas'],
    ["Wilaya d'Oran", 'Oran'],
    ['Osaka-fu', 'Osaka Prefecture'],
    ['Plzeňský kraj', 'Plzeňský'],
    ['Закарпатська область', 'Закарпатська обл.'],
    ['Пермский Край', 'Permskiy kray'],
    ['Permsky Krai', 'Permskiy kray'],
    ['广东省', '广东'],
    ['大阪府', '大阪'],
    ['경기도', '경기'],
    ['서울특별시', '서울'],
    ['จังหวัดชลบุรี', 'ชลบุรี'],
  ]
  for (const [long, short] of same) t.equal(areaKey(long), areaKey(short), `${long} = ${short}`)
})

t.test('a name that consists of kinds stays whole', async t => {
  for (const name of ['Free State', 'Capital Region', 'CO', 'Distrito Federal', 'Land', '北海道'])
    t.equal(areaKey(name), name === '北海道' ? cityKey('北海') : cityKey(name), name)
  for (const name of ['Kyoto', 'La Rioja', 'Le Mans', "L'viv"]) t.equal(areaKey(name), cityKey(name), name)
  t.equal(areaKey('!?'), '')
})
