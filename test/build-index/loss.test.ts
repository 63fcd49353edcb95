import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { buildIndex } from '../../build-index/build.ts'
import { expectLittleLoss } from '../../build-index/check/loss.ts'
import { row } from '../../datasets/row.ts'
import { HEADER } from '../../src/postal/format/layout.ts'
import { code, country, place } from '../support/countries.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { reseal } from '../support/sealed-file.ts'
import { sourceOf } from '../support/sources.ts'

const dir = t.testdir({})

function writeGermanIndex(name: string, keys: readonly string[]): string {
  mkdirSync(join(dir, name))
  return writeIndex(join(dir, name), [
    country(
      'DE',
      keys.map(key => code(key, [place('Berlin')])),
    ),
  ])
}

const large = writeGermanIndex('large', ['10115', '10117', '10119'])
const small = writeGermanIndex('small', ['10115'])

t.test('a damaged index or another version is replaced, and the summary says so', async t => {
  const sound = readFileSync(large)
  const older = join(dir, 'older.postrie')
  writeFileSync(
    older,
    reseal(sound, file => file.writeUInt32LE(2, HEADER.version)),
  )
  t.match(expectLittleLoss(older, small, false), [/was not compared.*older\.postrie: has format version 2/])
  const damaged = join(dir, 'damaged.postrie')
  writeFileSync(damaged, sound.subarray(0, sound.length - 9))
  t.match(expectLittleLoss(damaged, small, false), [/was not compared.*cut short/])
})

t.test('a country of an excluded source is unknown', async t => {
  const sources = [sourceOf('a', [row('BV', '1000', 'A')]), sourceOf('b', [row('HM', '1000', 'B')])]
  const options = { output: join(dir, 'none.postrie'), sources, countries: ['HM'], without: ['b'] }
  await t.rejects(buildIndex(options), /unknown country HM; known are BV$/)
})
