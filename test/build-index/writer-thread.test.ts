/** The index that a thread of its own writes. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { buildIndex } from '../../build-index/build.ts'
import type { CountryModel } from '../../build-index/model.ts'
import { packModel, unpackModel } from '../../build-index/thread/packed-model.ts'
import { geonamesRows } from '../../datasets/geonames/geonames-line.ts'
import { drawRows, textOf } from '../support/geonames-rows.ts'
import { row, sourceOf } from '../support/sources.ts'

t.test('a build with a thread gives the bytes of one without', async t => {
  const dir = t.testdir()
  const rows = [...geonamesRows(textOf(drawRows(7, 4000)))]
  const sources = [sourceOf('drawn', rows)]
  const build = (name: string, isThreaded: boolean) =>
    buildIndex({ output: join(dir, name), sources, isThreaded })
  const [local, threaded] = [await build('local', false), await build('threaded', true)]
  t.ok(readFileSync(join(dir, 'local')).equals(readFileSync(join(dir, 'threaded'))), 'equal files')
  t.ok(threaded.codes > 1000, `${threaded.codes} codes`)
  const counts = ({ output, seconds, peakBytes, ...rest }: typeof local) => rest
  t.same(counts(threaded), counts(local), 'and equal summaries')
})

t.test('a model is the same after it was packed, and shares what it shared', async t => {
  const admin = { name1: 'A', code1: '1', name2: '', code2: '', name3: '', code3: '', extra: { city: 'B' } }
  const [one, two] = ['One', 'Two'].map(name => ({ name, admin, aliases: [`${name}s`] }))
  const code = { written: '1-0', lat: 1.5, lon: -2, grade: 'code', timezone: 'UTC', elevation: 7 } as const
  const model: CountryModel = {
    country: 'AD',
    completeness: 'partial',
    sources: ['s'],
    rules: { padTo: 0, prefixes: [], tails: [], masks: ['#-#'] },
    areaNames: {},
    codes: [
      { ...code, key: '10', places: [one] },
      { ...code, key: '11', places: [two, one], timezone: '' },
      {
        ...code,
        key: '12',
        places: [one],
        lat: Number.NaN,
        lon: Number.NaN,
        elevation: Number.NaN,
        grade: '',
      },
    ],
  }
  const packed = structuredClone(packModel(model))
  const unpacked = unpackModel(packed)
  t.same(unpacked, model)
  t.equal(unpacked.codes[1].places[1], unpacked.codes[0].places[0], 'one place')
  t.equal(unpacked.codes[2].places, unpacked.codes[0].places, 'one list of it')
  t.equal(unpacked.codes[1].places[0].admin, unpacked.codes[0].places[0].admin, 'one area')
})

t.test('what fails in the thread ends the build, and leaves no file', async t => {
  const dir = t.testdir()
  const output = join(dir, 'index')
  const build = (codes: number) => {
    const rows = Array.from({ length: codes }, (_, i) => row('AD', `AD${500 + i}`, 'Place'))
    return buildIndex({ output, sources: [sourceOf('s', rows)], isThreaded: true })
  }
  await build(100)
  const before = readFileSync(output)
  await t.rejects(build(50), /would lose more than 10 percent/, 'a loss')
  t.ok(readFileSync(output).equals(before), 'the file before stays')
  t.same(readdirSync(dir), ['index'])
  writeFileSync(join(dir, 'file'), '')
  const tall = [row('AD', 'AD500', 'Place', { elevation: 123_456 })]
  const sources = [sourceOf('s', [...tall, row('SM', '47890', 'A'), row('VA', '00120', 'B')])]
  await t.rejects(
    buildIndex({ output, sources, isThreaded: true, acceptLoss: true }),
    /an elevation of 123456 m was found/,
    'a country that cannot be written, though others follow',
  )
  t.ok(readFileSync(output).equals(before))
})
