import { once } from 'node:events'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import t from 'tap'
import { whyUnsupported } from '../../src/http/binary.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { startServer } from '../support/processes.ts'

const require = createRequire(import.meta.url)

t.test('the binary for this Node.js loads', async t => {
  t.equal(whyUnsupported(), null)
})

t.test('a binary that does not load is named with the cause and what to install', async t => {
  const other = process.versions.modules === '137' ? '115' : '137'
  const folder = dirname(require.resolve('uWebSockets.js'))
  const problem = whyUnsupported(() => require(join(folder, `uws_linux_x64_${other}.node`))) ?? ''
  t.match(problem, new RegExp(`^the HTTP server has no binary that loads on Node\\.js ${process.version} `))
  t.match(problem, /(GLIBC_2|NODE_MODULE_VERSION|different Node\.js version)/, 'what the system says')
  t.match(problem, /"overrides": \{ "uWebSockets\.js": "github:uNetworking\/uWebSockets\.js#v20\.69\.0" \}/)
})

t.test('a missing binary is a problem too', async t => {
  const problem = whyUnsupported(() => require('./uws_linux_x64_999.node'))
  t.match(problem, /: Cannot find module '\.\/uws_linux_x64_999\.node'\. The installed package has/)
})

t.test('a start says once what an old parser cannot read, and only where it cannot', async t => {
  const folder = t.testdir()
  const server = await startServer(folder, { INDEX_FILE: writeIndex(folder), LOG_LEVEL: 'warn' })
  const socket = connect(Number(new URL(server.api).port), '127.0.0.1')
  const answered = once(socket, 'data')
  socket.end('GET /healthz HTTP/1.0\r\nHost: x\r\n\r\n')
  const isOld = String((await answered)[0]).startsWith('HTTP/1.1 505')
  await server.stop()
  t.equal(server.output.stderr.split('the HTTP parser for Node.js 20').length - 1, isOld ? 1 : 0)
})
