import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const { platform, arch, versions } = process
const OWN = `uws_${platform}_${arch}_${versions.modules}.node`

t.test('a slim installation keeps the one binary that it needs', async t => {
  const folder = t.testdir({
    deploy: { 'slim.mjs': readFileSync(join(ROOT, 'deploy/slim.mjs')) },
    node_modules: { 'uWebSockets.js': { [OWN]: '', 'uws_other_x64_1.node': '', 'uws.js': '' } },
  })
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'deploy/slim.mjs')], {
    encoding: 'utf8',
  })
  t.equal(status, 0, stderr)
  t.same(readdirSync(join(folder, 'node_modules/uWebSockets.js')).sort(), ['uws.js', OWN])
})

t.test('an installation has neither compiler nor rival', async t => {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  t.same(optionalDependencies, undefined)
  for (const name of ['typescript', 'esbuild', 'simdjson']) t.notOk(name in dependencies, name)
})
