/** `nearest` and `suggest`: from the index at hand and through a service, with the same answers. */
import t, { type Test } from 'tap'
import { startApp } from '../support/app.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { type Finished, postrie } from '../support/processes.ts'

const MUNICH = {
  postalCode: '80331',
  country: 'DE',
  placeName: 'München',
  latitude: 48.1345,
  longitude: 11.571,
}

const FOUND: readonly [args: readonly string[], json: unknown, words: RegExp][] = [
  [
    ['nearest', '48.14,11.58', '--count', '1'],
    { results: [{ ...MUNICH, distance: 0.906 }] },
    /^ +KM {2}COUNTRY {2}CODE +PLACE\n0\.906 {2}DE +80331 {2}München\n$/,
  ],
  [
    ['nearest', '80331', '--country', 'de', '--radius', '100'],
    { results: [{ ...MUNICH, distance: 0 }] },
    /^ +KM .*\n0\.000 {2}DE/,
  ],
  [['nearest', '-33.87,151.21', '--radius', '0.5'], { results: [] }, /^no postal code is there\n$/],
  [
    ['suggest', '627'],
    {
      codes: [
        { postalCode: '62701', placeName: 'Springfield', latitude: 39.8, longitude: -89.6495 },
        { postalCode: '62702', placeName: 'Springfield', latitude: 39.82, longitude: -89.64 },
      ],
      places: [],
    },
    /^CODE +PLACE\n62701 {2}Springfield\n62702 {2}Springfield\n$/,
  ],
  [
    ['suggest', 'spring', '--count', '1'],
    {
      codes: [],
      places: [
        {
          placeName: 'Springfield',
          codes: 3,
          areas: [
            { name: 'Illinois', code: 'IL' },
            { name: 'Massachusetts', code: 'MA' },
          ],
        },
      ],
    },
    /^PLACE +CODES {2}IN\nSpringfield +3 {2}Illinois, Massachusetts\n$/,
  ],
  [['suggest', 'xyz', '--country', 'de'], { codes: [], places: [] }, /^nothing in DE begins with xyz\n$/],
]

const WRONG: readonly [args: readonly string[], message: RegExp][] = [
  [['nearest', '91,0'], /<place> is 91,0, a latitude from -90 to 90/],
  [['nearest', '48.14,'], /<place> is '48\.14,', a point such as 48\.14,11\.58 or a postal code expected/],
  [['nearest', '90210', '--raduis', '5'], /'--raduis' is not understood/],
  [['nearest', '--raduis', '5', '90210'], /'--raduis' is not understood/],
  [['nearest', '--near'], /'--near' is not understood/],
  [['nearest', '90210', '90211'], /'90211' is not understood/],
  [['nearest'], /missing required argument 'place'/],
  [['nearest', '90210', '--count', '101'], /It must be 1 to 100/],
  [['nearest', '90210', '--radius', '-1'], /It must be kilometres from 0 to 20040/],
  [['suggest', 'a', '--count', '0'], /It must be 1 to 50/],
  [['suggest', ' '], /<text> is empty/],
]

// Some thirty processes, each of which starts slowly on a busy machine.
t.setTimeout(120_000)

async function everyQuestion(t: Test, run: (args: readonly string[]) => Promise<Finished>) {
  for (const [args, json, words] of FOUND) {
    const shown = await run(args)
    t.match(shown.stdout, words, args.join(' '))
    t.same([shown.code, shown.stderr], [0, ''])
    t.same(JSON.parse((await run([...args, '--json'])).stdout), json)
  }
  const unknown = await run(['nearest', '00-001', '--country', 'pl', '--json'])
  t.same([unknown.code, unknown.stdout], [1, ''])
  t.equal(unknown.stderr, 'postrie: 00-001 is not a postal code of PL whose position is known\n')
}

t.test('from the index at hand', async t => {
  const INDEX_FILE = writeIndex(t.testdir())
  const run = (args: readonly string[]) => postrie('/nonexistent', args, { INDEX_FILE })
  await everyQuestion(t, run)
  for (const [args, message] of WRONG) {
    const { code, stderr } = await run(args)
    t.equal(code, 2, args.join(' '))
    t.match(stderr, message)
  }
})

t.test('through a service', async t => {
  const { baseUrl, key } = await startApp(t)
  await everyQuestion(t, args =>
    postrie('/nonexistent', [...args, '--remote', baseUrl], { POSTRIE_API_KEY: key }),
  )
})
