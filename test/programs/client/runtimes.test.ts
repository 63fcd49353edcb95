/** DENO and BUN name the programs, which npm installs. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { startApp } from '../../support/app.ts'
import { fixtureIndex } from '../../support/fixture-index.ts'

const run = promisify(execFile)
const RUNTIMES: readonly (readonly [name: string, program: string | undefined, args: readonly string[]])[] = [
  ['Node.js', process.execPath, []],
  ['Deno', process.env.DENO, ['run', '--allow-all', '--no-lock', '--no-remote']],
  ['Bun', process.env.BUN, ['run']],
]

/** A program that uses client and library and prints the results. */
function program(baseUrl: string, apiKey: string, indexFile: string): string {
  const module = (path: string) => JSON.stringify(new URL(`../../../src/${path}`, import.meta.url).href)
  return `
import { readFileSync } from 'node:fs'
import { PostrieClient, PostrieError } from ${module('programs/client/client.js')}
import { openIndex } from ${module('postal/library/node.js')}

const client = new PostrieClient({ baseUrl: ${JSON.stringify(baseUrl)}, apiKey: ${JSON.stringify(apiKey)} })
const refused = new PostrieClient({ baseUrl: ${JSON.stringify(baseUrl)}, apiKey: 'wrong' })
const records = Array.from({ length: 150 }, (_, i) => ({ postalCode: i % 3 ? '90210' : '00000', countryCode: 'US' }))
const all = await client.validateAll(records, { batchSize: 40 })
const place = await client.lookup('90210')
const error = await refused.lookup('90210').catch(error => error)
const [mapped, read] = [openIndex(${JSON.stringify(indexFile)}), openIndex(new Uint8Array(readFileSync(${JSON.stringify(indexFile)})))]
console.log(JSON.stringify({
  city: place?.city,
  near: (await client.nearest({ zipcode: '90210' }, { limit: 1 }))?.results,
  inOrder: all.every(({ valid }, i) => valid === (i % 3 > 0)),
  error: error instanceof PostrieError ? error.code : String(error),
  mapped: mapped.lookup('SW1A 1AA', 'GB'),
  isSame: JSON.stringify(mapped.city('Springfield', { ST: 'IL' })) === JSON.stringify(read.city('Springfield', { ST: 'IL' })),
}))
await mapped.close()
`
}

for (const [name, file, args] of RUNTIMES)
  t.test(name, { skip: file === undefined && `${name.toUpperCase()} does not name its program` }, async t => {
    const folder = t.testdir()
    const index = fixtureIndex(folder)
    const { baseUrl, key } = await startApp(t, undefined, { index })
    const script = join(folder, 'program.mjs')
    writeFileSync(script, program(baseUrl, key, index.path))
    const { stdout } = await run(file as string, [...args, script], { timeout: 60_000 })
    t.match(JSON.parse(stdout), {
      city: 'Beverly Hills',
      near: [{ postalCode: '90210' }],
      inOrder: true,
      error: 'invalid_key',
      mapped: { city: 'London' },
      isSame: true,
    })
  })
