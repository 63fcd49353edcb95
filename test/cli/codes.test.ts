/** `lookup`, `validate` and `city`: from the index at hand and through a service, with the same answers. */
import t, { type Test } from 'tap'
import { startApp } from '../support/app.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { type Finished, postrie } from '../support/processes.ts'

interface Asked {
  args: readonly string[]
  json: unknown
  /** What a person reads. */
  words: RegExp
}

const FOUND: readonly Asked[] = [
  {
    args: ['lookup', '80331', '--country', 'de'],
    json: {
      postalCode: '80331',
      country: 'DE',
      placeName: 'München',
      admin_name1: 'Bayern',
      admin_code1: 'BY',
      latitude: 48.1345,
      longitude: 11.571,
      accuracy: 'place',
    },
    words: /^postalCode {3}80331\n(.*\n)*placeName {4}München\n/,
  },
  {
    args: ['lookup', '90210'],
    json: {
      zipcode: '90210',
      city: 'Beverly Hills',
      state: 'California',
      stateAbbrev: 'CA',
      county: 'Los Angeles',
      latitude: 34.0901,
      longitude: -118.4065,
      accuracy: 'code',
      timezone: 'America/Los_Angeles',
      elevation: 71,
    },
    words: /^zipcode {6}90210\ncity {9}Beverly Hills\n/,
  },
  {
    args: ['validate', 'SW1A 1AA', '--country', 'UK'],
    json: { valid: true, normalized: 'SW1A', reason: null },
    words: /^valid: SW1A\n$/,
  },
  {
    args: ['city', 'springfield', '--state', 'IL'],
    json: { zipcodes: ['62701', '62702'] },
    words: /^2 postal codes\n62701 {2}62702\n$/,
  },
  {
    args: ['city', 'Sprngfield', '--state', 'Massachusetts'],
    json: { zipcodes: ['01101'], matched: { city: 'Springfield', state: 'Massachusetts', ST: 'MA' } },
    words: /^1 postal code of Springfield, Massachusetts \(MA\), the closest name\n01101\n$/,
  },
]

const ABSENT: readonly [args: readonly string[], message: RegExp][] = [
  [['lookup', '00000'], /^postrie: 00000 is not a known postal code of US\n$/],
  [['city', 'Atlantis', '--country', 'de'], /^postrie: no city is named Atlantis in DE\n$/],
]

async function everyQuestion(t: Test, run: (args: readonly string[]) => Promise<Finished>) {
  for (const { args, json, words } of FOUND) {
    const shown = await run(args)
    t.match(shown.stdout, words, args.join(' '))
    t.same([shown.code, shown.stderr], [0, ''])
    t.same(JSON.parse((await run([...args, '--json'])).stdout), json)
  }
  for (const [args, message] of ABSENT) {
    const { code, stdout, stderr } = await run([...args, '--json'])
    t.same([code, stdout], [1, ''])
    t.match(stderr, message)
  }
  const invalid = await run(['validate', 'FOO99'])
  t.same([invalid.code, invalid.stdout], [1, 'not valid: no such code\n'])
  const nowhere = await run(['validate', '1', '--country', 'AD', '--json'])
  t.same(JSON.parse(nowhere.stdout), { valid: false, normalized: null, reason: 'unknown_country' })
}

// Some thirty processes, each of which starts slowly on a busy machine.
t.setTimeout(120_000)

t.test('from the index at hand', async t => {
  const INDEX_FILE = writeIndex(t.testdir())
  await everyQuestion(t, args => postrie('/nonexistent', args, { INDEX_FILE }))
})

t.test('through a service', async t => {
  const { baseUrl, key } = await startApp(t)
  await everyQuestion(t, args =>
    postrie('/nonexistent', [...args, '--remote', baseUrl], { POSTRIE_API_KEY: key }),
  )
})

t.test('what is missing is named', async t => {
  const none = await postrie(t.testdir(), ['lookup', '90210'])
  t.equal(none.code, 1)
  t.match(none.stderr, /there is no index at .*index\.postrie: build it with 'postrie build'/)
  const keyless = await postrie(t.testdir(), ['lookup', '90210', '--remote', 'https://example.com'])
  t.same([keyless.code, keyless.stderr.includes('POSTRIE_API_KEY is not set')], [2, true])
  const env = { POSTRIE_API_KEY: 'pk_live_x' }
  const wrong = await postrie(t.testdir(), ['lookup', '90210', '--remote', 'example'], env)
  t.same([wrong.code, wrong.stderr.includes('--remote: baseUrl is "example"')], [2, true])
  const { baseUrl } = await startApp(t)
  const refused = await postrie(t.testdir(), ['lookup', '90210', '--remote', baseUrl], env)
  t.same([refused.code, refused.stderr], [1, 'postrie: api/metacode: 401 Invalid API key\n'])
})
