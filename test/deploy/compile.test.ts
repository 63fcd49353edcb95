import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** Root may write anywhere, so the test runs as another user. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** Makes a small checkout whose only source is `source`. Returns a function that compiles it, and the path of the source. */
function smallCheckout(t: Test, source: string) {
  const folder = temporaryFolder(t)
  for (const name of ['deploy', 'dist/bundle', 'src']) mkdirSync(join(folder, name), { recursive: true })
  cpSync(join(ROOT, 'deploy/compile.mjs'), join(folder, 'deploy/compile.mjs'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const outputs = { outDir: 'dist', rootDir: '.', types: [] }
  writeFileSync(
    join(folder, 'tsconfig.build.json'),
    JSON.stringify({ compilerOptions: outputs, include: ['src'] }),
  )
  const file = join(folder, 'src/cli.ts')
  writeFileSync(file, source)
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'dist/bundle/cli.js'), 'old')
  change(join(folder, 'dist/bundle/cli.js'), 5)
  const compile = (user = {}) =>
    spawnSync(process.execPath, [join(folder, 'deploy/compile.mjs')], { encoding: 'utf8', ...user })
  return { folder, file, compile }
}

t.test('a compiled checkout starts for a user without write access', t => {
  const { folder, file, compile } = smallCheckout(t, 'export const one: number = 1\n')
  t.teardown(() => {
    for (const name of ['', 'dist']) chmodSync(join(folder, name), 0o755)
  })
  change(file, 10)
  for (const name of ['', 'dist']) chmodSync(join(folder, name), 0o555)
  const { status, stdout, stderr } = compile(NOBODY)
  t.equal(status, 0, stdout + stderr)
  t.equal(stdout, '')
  t.end()
})

t.test('nothing is compiled until a source changes', t => {
  const { file, compile } = smallCheckout(t, 'export const one: number =\n')
  t.equal(compile().status, 0)
  change(file, 10)
  t.match(compile(), { status: 2, stdout: /Expression expected/ })
  t.end()
})

/** Lets a file have changed in some seconds from now. */
function change(file: string, seconds: number): void {
  const time = new Date(Date.now() + seconds * 1000)
  utimesSync(file, time, time)
}
