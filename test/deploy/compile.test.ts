import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** Root may write anywhere, so the test runs as another user. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

t.test('a compiled checkout starts for a user without write access', t => {
  const folder = temporaryFolder(t)
  t.teardown(() => {
    for (const name of ['', 'dist']) chmodSync(join(folder, name), 0o755)
  })
  for (const name of ['deploy', 'dist/bundle', 'src']) mkdirSync(join(folder, name), { recursive: true })
  cpSync(join(ROOT, 'deploy/compile.mjs'), join(folder, 'deploy/compile.mjs'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const outputs = { outDir: 'dist', rootDir: '.', types: [] }
  writeFileSync(
    join(folder, 'tsconfig.build.json'),
    JSON.stringify({ compilerOptions: outputs, include: ['src'] }),
  )
  writeFileSync(join(folder, 'src/cli.ts'), 'export const one: number = 1\n')
  writeFileSync(join(folder, 'dist/bundle/cli.js'), 'old')
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const name of ['', 'dist']) chmodSync(join(folder, name), 0o555)
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'deploy/compile.mjs')], {
    encoding: 'utf8',
    ...NOBODY,
  })
  t.equal(status, 0, stdout + stderr)
  t.equal(stdout, '')
  t.end()
})
