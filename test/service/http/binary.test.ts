import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import t from 'tap'
import { whyUnsupported } from '../../../src/service/http/binary.ts'
import { writeIndex } from '../../support/fixture-index.ts'
import { command, startServer } from '../../support/processes.ts'
import { until } from '../../support/until.ts'

const require = createRequire(import.meta.url)

t.test('an error names the binary that does not load, the cause, and the remedy', async t => {
  const other = process.versions.modules === '137' ? '115' : '137'
  const folder = dirname(require.resolve('uWebSockets.js'))
  const problem = whyUnsupported(() => require(join(folder, `uws_linux_x64_${other}.node`))) ?? ''
  t.match(problem, new RegExp(`^the HTTP server has no binary that loads on Node\\.js ${process.version} `))
  t.match(problem, /(GLIBC_2|NODE_MODULE_VERSION|different Node\.js version)/, 'the message of the system')
  const byCause = (message: string) =>
    whyUnsupported(() => {
      throw new Error(message)
    }) ?? ''
  const old = byCause("libc.so.6: version `GLIBC_2.38' not found")
  t.match(old, /use Debian 13 or Ubuntu 24\.04, or Node\.js 20 behind a proxy/)
  t.notMatch(old, /overrides/)
  const lacking = byCause("Cannot find module './uws_linux_x64_999.node'")
  t.match(lacking, /"overrides": \{ "uWebSockets\.js": "github:uNetworking\/uWebSockets\.js#v[\d.]+" \}/)
})

t.test('a check and the metrics name the binary that every request passes', async t => {
  const dir = t.testdir()
  const env = { INDEX_FILE: writeIndex(dir), PORT: '0', CONTROL_PORT: '0' }
  const { stdout } = await command(dir, ['serve', '--check'], env)
  const [, name, version, file, sha256] =
    /^HTTP server: (\S+) (\S+), (.+\.node), SHA-256 ([0-9a-f]{64})\.$/m.exec(stdout) ?? []
  t.equal(sha256, createHash('sha256').update(readFileSync(file)).digest('hex'))
  const server = await startServer(dir, env)
  t.teardown(() => server.stop())
  const line = `postrie_http_binary_info{package="${name}",version="${version}",sha256="${sha256}"} 1`
  await until(async () => (await (await fetch(`${server.dashboard}/metrics`)).text()).includes(line))
})
