import { fileURLToPath } from 'node:url'
import t from 'tap'
import { packageLicences } from '../../src/programs/cli/licences.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { postrie, postrieJson } from '../support/processes.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** Licences that ask for at most their text and a notice. */
const PERMISSIVE = /^(MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0)$/

t.test('every package in production has a permissive licence', async t => {
  const packages = packageLicences(ROOT)
  t.ok(packages.length > 50)
  t.same(
    packages.filter(({ licence }) => !PERMISSIVE.test(licence)),
    [],
  )
  t.ok(packages.some(({ name }) => name === 'uwebsockets'))
  t.notOk(
    packages.some(({ name }) => name === 'tap'),
    'packages of the tests are left out',
  )
})

t.test('the command lists packages and the sources of the index', async t => {
  const dir = t.testdir()
  const before = await postrie(dir, ['licences'])
  t.match(before, { code: 0, stdout: /koffi +[\d.]+ +MIT[\s\S]*There is no index at/ })
  writeIndex(dir)
  const { packages, data } = await postrieJson(dir, ['licences'])
  t.same(packages, packageLicences(ROOT))
  t.ok(data.length >= 1)
  t.ok(data[0].source !== '' && data[0].licence !== '')
})
