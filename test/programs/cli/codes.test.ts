import t, { type Test } from 'tap'
import { EVERY_FIELD } from '../../../src/postal/index/record-fields.ts'
import { openIndex } from '../../../src/postal/library/node.ts'
import { startApp } from '../../support/app.ts'
import { writeIndex } from '../../support/fixture-index.ts'
import { command, type Finished } from '../../support/processes.ts'

const INDEX_FILE = writeIndex(t.testdir())
const codes = openIndex(INDEX_FILE)

const FOUND: readonly [args: readonly string[], json: unknown, words: RegExp][] = [
  [
    ['lookup', '80331', '--country', 'de'],
    codes.metadata('80331', 'DE', EVERY_FIELD),
    /^postal code {2}80331\n(.*\n)*place name {3}München\n/,
  ],
  [
    ['lookup', '90210'],
    codes.metadata('90210', 'US', EVERY_FIELD),
    /^zipcode {7}90210\ncity {10}Beverly Hills\n/,
  ],
  [['validate', 'SW1A 1AA', '--country', 'UK'], codes.check('SW1A 1AA', 'UK'), /^valid: SW1A\n$/],
  [
    ['city', 'springfield', '--state', 'IL'],
    codes.city('springfield', { state: 'IL' }),
    /^2 postal codes\n62701\n62702\n$/,
  ],
  [
    ['city', 'Sprngfield', '--state', 'Massachusetts'],
    codes.city('Sprngfield', { state: 'Massachusetts' }),
    /^1 postal code of Springfield, Massachusetts \(MA\), the closest name\n01101\n$/,
  ],
  [
    ['nearest', '48.14,11.58', '--count', '1'],
    { results: codes.nearest({ latitude: 48.14, longitude: 11.58 }, { limit: 1 }) },
    /^DISTANCE {2}COUNTRY {2}POSTAL CODE {2}PLACE NAME\n +0\.906 {2}DE +80331 +München\n$/,
  ],
  [
    ['nearest', '80331', '--country', 'de', '--radius', '100'],
    { results: codes.nearest({ zipcode: '80331' }, { country: 'DE', radius: 100 }) },
    /^DISTANCE .*\n +0 {2}DE/,
  ],
  [['nearest', '-33.87,151.21', '--radius', '0.5'], { results: [] }, /^no postal code is there\n$/],
  [
    ['suggest', '627'],
    codes.autocomplete('627'),
    /^POSTAL CODE +PLACE NAME .*\n62701 +Springfield +39.8 .*\n62702 +Springfield .*\n$/,
  ],
  [
    ['suggest', 'spring', '--count', '1'],
    codes.autocomplete('spring', { limit: 1 }),
    /^PLACE NAME +CODES {2}AREAS\nSpringfield +3 {2}Illinois, Massachusetts\n$/,
  ],
  [['suggest', 'xyz', '--country', 'de'], { codes: [], places: [] }, /^nothing in DE begins with xyz\n$/],
]

const CLOSE = ['verify', '90210', '--city', 'Beverly Hils']

const ABSENT: readonly [args: readonly string[], message: RegExp][] = [
  [['lookup', '00000'], /^postrie: 00000 is not a known postal code of US\n$/],
  [
    ['nearest', '00-001', '--country', 'pl'],
    /^postrie: 00-001 is not a postal code of PL whose position is known\n$/,
  ],
  [['city', 'Atlantis', '--country', 'de'], /^postrie: no city is named Atlantis in DE\n$/],
]

const WRONG: readonly [args: readonly string[], message: RegExp][] = [
  [['nearest', '91,0'], /<place> is 91,0: expected a latitude from -90 to 90/],
  [['nearest', '48.14,'], /<place> is '48\.14,': expected a point such as 48\.14,11\.58, or a postal code/],
  [['nearest', '90210', '--raduis', '5'], /'--raduis' is not understood/],
  [['nearest'], /missing required argument 'place'/],
  [['nearest', '90210', '--count', '101'], /It must be 1 to 100/],
  [['suggest', ' '], /<text> is empty/],
]

async function checkEveryText(t: Test, run: (args: readonly string[]) => Promise<Finished>) {
  for (const [args, , words] of FOUND)
    t.match(await run(args), { code: 0, stdout: words, stderr: '' }, args.join(' '))
  for (const [args, stderr] of ABSENT) t.match(await run(args), { code: 1, stdout: /^$/, stderr })
  const close = await run(CLOSE)
  t.same(
    [close.code, close.stdout],
    [1, 'verdict  close\nzipcode  verdict match, value 90210\ncity     verdict close, value Beverly Hills\n'],
  )
  const invalid = await run(['validate', 'FOO99'])
  t.same([invalid.code, invalid.stdout], [1, 'not valid: no such code\n'])
}

t.test('commands answer from a local index', async t => {
  const run = (args: readonly string[]) => command('/nonexistent', args, { INDEX_FILE })
  await checkEveryText(t, run)
  const [[lookup, json]] = FOUND
  t.same(JSON.parse((await run([...lookup, '--json'])).stdout), json)
  for (const [args, message] of WRONG) {
    const { code, stderr } = await run(args)
    t.equal(code, 2, args.join(' '))
    t.match(stderr, message)
  }
})

t.test('commands answer through a service', async t => {
  const { baseUrl, key } = await startApp(t)
  // JSON has every field that a service and an index could answer differently.
  const run = (args: readonly string[]) =>
    command('/nonexistent', [...args, '--json', '--remote', baseUrl], { POSTRIE_API_KEY: key })
  for (const [args, json] of FOUND) t.same(JSON.parse((await run(args)).stdout), json, args.join(' '))
  for (const [args, stderr] of ABSENT) t.match(await run(args), { code: 1, stdout: /^$/, stderr })
})

t.test('an error names the missing argument, index or service', async t => {
  const none = await command(t.testdir(), ['lookup', '90210'])
  t.equal(none.code, 1)
  t.match(none.stderr, /there is no index at .*index\.postrie: build it with 'postrie build'/)
  const keyless = await command(t.testdir(), ['lookup', '90210', '--remote', 'https://example.com'])
  t.same([keyless.code, keyless.stderr.includes('POSTRIE_API_KEY is not set')], [2, true])
  const env = { POSTRIE_API_KEY: 'pk_live_x' }
  const wrong = await command(t.testdir(), ['lookup', '90210', '--remote', 'example'], env)
  t.same([wrong.code, wrong.stderr.includes('--remote: baseUrl is "example"')], [2, true])
  const { baseUrl } = await startApp(t)
  const refused = await command(t.testdir(), ['lookup', '90210', '--remote', baseUrl], env)
  t.same([refused.code, refused.stderr], [1, 'postrie: api/metacode: 401 Invalid API key\n'])
})
