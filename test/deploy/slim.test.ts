import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const { platform, arch, versions } = process
const OWN = `uws_${platform}_${arch}_${versions.modules}.node`

t.test('a slim installation removes build packages and keeps the binaries that it needs', async t => {
  const folder = t.testdir()
  const write = (path: string, manifest: object) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), JSON.stringify(manifest))
  }
  write('package.json', { optionalDependencies: { typescript: '1', absent: '1' } })
  write('node_modules/typescript/package.json', {
    optionalDependencies: { '@typescript/here': '1', '@typescript/there': '1' },
  })
  write('node_modules/@typescript/here/package.json', {})
  write('node_modules/koffi/package.json', { optionalDependencies: { '@koromix/here': '1' } })
  write('node_modules/@koromix/here/package.json', {})
  for (const name of [OWN, 'uws_other_x64_1.node']) write(`node_modules/uWebSockets.js/${name}`, {})
  cpSync(join(ROOT, 'deploy/slim.mjs'), join(folder, 'deploy/slim.mjs'))
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'deploy/slim.mjs')], {
    encoding: 'utf8',
  })
  t.equal(status, 0, stderr)
  const modules = join(folder, 'node_modules')
  t.same(readdirSync(modules).sort(), ['@koromix', '@typescript', 'koffi', 'uWebSockets.js'])
  t.same(readdirSync(join(modules, '@typescript')), [])
  t.same(readdirSync(join(modules, '@koromix')), ['here'])
  t.same(readdirSync(join(modules, 'uWebSockets.js')), [OWN])
})

t.test('every installation keeps the optional binary of koffi', async t => {
  t.notMatch(readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8'), /--omit=optional/)
  t.notMatch(readFileSync(join(ROOT, 'docs/operating.md'), 'utf8'), /npm ci[^`]*--omit=optional/)
})
