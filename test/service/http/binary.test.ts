import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import t from 'tap'
import { whyUnsupported } from '../../../src/service/http/binary.ts'

const require = createRequire(import.meta.url)

t.test('an error names the binary that does not load, the cause, and the package to install', async t => {
  const other = process.versions.modules === '137' ? '115' : '137'
  const folder = dirname(require.resolve('uWebSockets.js'))
  const problem = whyUnsupported(() => require(join(folder, `uws_linux_x64_${other}.node`))) ?? ''
  t.match(problem, new RegExp(`^the HTTP server has no binary that loads on Node\\.js ${process.version} `))
  t.match(problem, /(GLIBC_2|NODE_MODULE_VERSION|different Node\.js version)/, 'the message of the system')
  t.match(problem, /"overrides": \{ "uWebSockets\.js": "github:uNetworking\/uWebSockets\.js#v[\d.]+" \}/)
})
