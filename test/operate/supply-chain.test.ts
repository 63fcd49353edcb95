/** What an operator can say of what runs: licences, a bill of materials, and a native binary that is the expected one. */
import { appendFileSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { packageLicences } from '../../src/cli/licence-list.ts'
import { whyNotPinned } from '../../src/http/binary.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { postrie, postrieJson } from '../support/processes.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** Licences that ask for their text and a notice at most. */
const PERMISSIVE = /^(MIT|MIT-0|ISC|0BSD|BSD-[23]-Clause|Apache-2\.0|BlueOak-1\.0\.0)$/

t.test('every package that runs has a permissive licence', async t => {
  const packages = packageLicences(ROOT)
  t.ok(packages.length > 50)
  t.same(
    packages.filter(({ licence }) => !PERMISSIVE.test(licence)),
    [],
  )
  t.ok(packages.some(({ name }) => name === 'uwebsockets'))
  t.notOk(
    packages.some(({ name }) => name === 'tap'),
    'not those of the tests',
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

t.test('the bill of materials has every package and source', async t => {
  const dir = t.testdir()
  writeIndex(dir)
  const { packages, data } = await postrieJson(dir, ['licences'])
  const { code, stdout } = await postrie(dir, ['licences', '--cyclonedx'])
  t.equal(code, 0)
  const bill = JSON.parse(stdout)
  t.match(bill, { bomFormat: 'CycloneDX', specVersion: '1.5', metadata: { component: { name: 'postrie' } } })
  t.equal(bill.components.length, packages.length - 1 + data.length)
  const references = new Set(bill.components.map((component: { 'bom-ref': string }) => component['bom-ref']))
  t.equal(references.size, bill.components.length, 'references are unique')
  t.ok([...references].some(reference => String(reference).startsWith('pkg:npm/%40hono/node-server@')))
})

t.test('a native binary with other contents is reported before it is loaded', async t => {
  t.equal(whyNotPinned(), null)
  const folder = join(t.testdir(), 'uWebSockets.js')
  mkdirSync(folder)
  const source = join(ROOT, 'node_modules/uWebSockets.js')
  const file = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`
  for (const name of ['package.json', file]) copyFileSync(join(source, name), join(folder, name))
  t.equal(whyNotPinned(folder), null)
  appendFileSync(join(folder, file), '\0')
  t.match(whyNotPinned(folder), /has the SHA-256 [0-9a-f]{64}, expected [0-9a-f]{64}: .*npm ci/)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, name: 'uWebSockets.js' }))
  t.equal(whyNotPinned(folder), null, "upstream's own package is its publisher's word")
})

t.test('an installation without the binary of this Node.js says so, and what to do', async t => {
  const folder = join(t.testdir(), 'uWebSockets.js')
  mkdirSync(folder)
  copyFileSync(join(ROOT, 'node_modules/uWebSockets.js/package.json'), join(folder, 'package.json'))
  const file = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`
  t.match(
    whyNotPinned(folder),
    new RegExp(`has no ${file}, which Node\\.js ${process.versions.node} needs .*npm ci`),
  )
})

t.test('every binary that a supported Node.js loads is pinned', async t => {
  const pins = readFileSync(join(ROOT, 'src/http/binary.ts'), 'utf8')
  const binaries = readdirSync(join(ROOT, 'node_modules/uWebSockets.js')).filter(name =>
    /^uws_(linux|darwin)_(x64|arm64)_(115|127|137|141)\.node$/.test(name),
  )
  t.equal(binaries.length, 16)
  t.ok(binaries.every(name => pins.includes(name)))
})
