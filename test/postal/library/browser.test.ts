import { readFileSync } from 'node:fs'
import t from 'tap'
import { sampleCodes } from '../../../bench/input/samples.ts'
import { openIndex, type PostalCodes } from '../../../src/postal/library/node.ts'
import { importInPage, importsOf } from '../../support/browser-modules.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'
import { writeIndex } from '../../support/fixture-index.ts'
import { without } from '../../support/programs.ts'

/** An import map replaces a bundler. */
const IMPORTS = {
  postrie: '/dist/src/postal/library/browser.js',
  'msgpackr/unpack': '/node_modules/msgpackr/unpack.js',
}

t.test('the browser entry imports nothing of Node.js', async t => {
  const { modules, packages } = importsOf('src/postal/library/browser.js')
  t.ok(modules.size > 20, 'the modules are found')
  t.same([...packages], ['msgpackr/unpack'])
  for (const module of modules) t.notMatch(readFileSync(module, 'utf8'), /\bBuffer\.\w/, module)
})

t.test(
  'the library answers in a browser as in Node.js',
  { skip: without('chromium-headless-shell') },
  async t => {
    const files: Record<string, string> = { '/default': DEFAULT_INDEX, '/fixture': writeIndex(t.testdir()) }
    const { page, problems } = await importInPage(t, 'postrie', IMPORTS, () => {}, files)
    const asked = [
      ...sampleCodes(openIndex(DEFAULT_INDEX), 400, 3).map(({ text, country }) => [text, country]),
      ['ｓｗ１ａ　１ａａ', 'GB'],
      ['75001 CEDEX 08', 'FR'],
      ['no', 'US'],
    ]
    for (const [name, file] of Object.entries(files)) {
      const seen = await page.evaluate(`(async () => {
      const codes = globalThis.imported.openIndex(await (await fetch('${name}')).arrayBuffer())
      return (${answersOf})(codes, ${JSON.stringify(asked)})
    })()`)
      t.same(seen, JSON.parse(JSON.stringify(answersOf(openIndex(file), asked))), name)
    }
    const refused = page.evaluate("globalThis.imported.openIndex('index.postrie')")
    await t.rejects(refused, /openIndex got string, a Uint8Array or an ArrayBuffer expected/)
    t.same(problems, [])
  },
)

/** Runs here and, as text, in the page. */
function answersOf(codes: PostalCodes, asked: readonly (readonly string[])[]) {
  return {
    codes: asked.map(([code, country]) => [
      codes.lookup(code, country) ?? null,
      codes.metadata(code, country) ?? null,
      codes.check(code, country),
    ]),
    city: codes.city('Munchen', { country: 'DE' }),
    nearest: codes.nearest({ latitude: 48.14, longitude: 11.58 }, { limit: 3 }),
    around: codes.nearest({ zipcode: '90210' }, { radius: 10 }),
    suggested: codes.autocomplete('st. l'),
    format: codes.format('42120', 'PL'),
    about: codes.about(),
    countries: codes.countries(),
  }
}
