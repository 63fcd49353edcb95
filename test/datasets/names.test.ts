import t from 'tap'
import { japanesePrefectures } from '../../datasets/reference/japanese-cities.ts'

t.test('Japanese municipalities', async t => {
  const prefectures = japanesePrefectures()
  t.equal(prefectures.size, 47)
  const city = (prefecture: string, kanji: string) =>
    prefectures.get(prefecture)?.cities.find(city => city.kanji === kanji)
  t.same(city('東京都', '千代田区'), {
    kanji: '千代田区',
    native: '千代田区',
    name: 'Chiyoda',
    municipality: 'Chiyoda-ku',
    ward: '',
    code: '13101',
  })
  t.same(city('北海道', '札幌市中央区'), {
    kanji: '札幌市中央区',
    native: '札幌市',
    name: 'Sapporo',
    municipality: 'Sapporo-shi',
    ward: 'Chuo-ku',
    code: '01101',
  })
  t.match(city('宮城県', '刈田郡七ヶ宿町'), { native: '七ヶ宿町', municipality: 'Shichikashuku-machi' })
  t.match(prefectures.get('京都府'), { name: 'Kyoto', code: '26' })
  t.match(prefectures.get('北海道'), { name: 'Hokkaido', code: '01' })
})
