/** `test/service/endpoints/` compares the answers of the library with those of the API. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { IndexFileError, openIndex } from '../../../src/postal/library/node.ts'
import { writeIndex } from '../../support/fixture-index.ts'

t.test('regions of other countries are in `state` and `ST`', async t => {
  const codes = openIndex(writeIndex(t.testdir()))
  t.same(codes.lookup('80331', 'DE'), {
    city: 'München',
    state: 'Bayern',
    ST: 'BY',
    latitude: 48.1345,
    longitude: 11.571,
  })
  t.same(codes.lookup('1001', 'LV'), { city: 'Rīga', state: '', ST: '' }, 'without a position')
  t.same(codes.city('Munich', { country: 'DE', state: '', ST: '' }), { zipcodes: ['80331'] })
  t.equal(codes.city('x'.repeat(200)), undefined)
  t.equal(codes.metadata('80331', 'DE')?.population, undefined)
  t.equal(codes.metadata('80331', 'DE', { population: true })?.population, 1_260_391)
})

t.test('an index opens from a path, a URL and unaligned bytes', async t => {
  const path = writeIndex(t.testdir())
  const file = readFileSync(path)
  const whole = file.buffer.slice(file.byteOffset, file.byteOffset + file.length) as ArrayBuffer
  const shifted = new Uint8Array(file.length + 3)
  shifted.set(file, 3)
  for (const source of [path, pathToFileURL(path), file, whole, shifted.subarray(3)]) {
    const codes = openIndex(source)
    t.equal(codes.lookup('90210')?.city, 'Beverly Hills')
    t.equal(codes.about().codes, 17)
    t.match(codes.countries().at(-1), { country: 'US', codes: 7, completeness: 'full' })
  }
})

t.test('an index opens where the address space is limited', async t => {
  const library = new URL('../../../src/postal/library/node.js', import.meta.url).href
  const script = `const { openIndex } = await import(${JSON.stringify(library)})
    console.log(openIndex(process.argv[1]).lookup('90210').city)`
  const program = [process.execPath, '--input-type=module', '-e', script, writeIndex(t.testdir())]
  const limited = ['-c', 'ulimit -v 8000000 && exec "$@"', 'sh', ...program]
  t.equal(execFileSync('sh', limited, { encoding: 'utf8' }), 'Beverly Hills\n')
})

t.test('a file that is not an index is refused with a remedy', async t => {
  t.throws(() => openIndex(new Uint8Array(100)), IndexFileError)
  t.throws(() => openIndex(Buffer.from('zipcode,city\n')), {
    message: /a header of 64 expected.*postrie build/,
  })
  t.throws(() => openIndex('/no/such/file'), { code: 'ENOENT' })
  t.throws(() => openIndex(null as unknown as string), { message: /got null, a Uint8Array/ })
})

t.test('a closed index finds nothing', async t => {
  const codes = openIndex(writeIndex(t.testdir()))
  t.equal(codes.validate('90210'), true)
  await codes.close()
  t.equal(codes.lookup('90210'), undefined)
  t.equal(codes.metadata('90210'), undefined)
  t.equal(codes.city('Beverly Hills'), undefined)
})
