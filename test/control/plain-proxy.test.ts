/** The development sign-in through nginx with its default settings, which tell the service nothing of the proxy. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { startDashboard } from '../support/dashboard.ts'

const NGINX = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx'].find(existsSync)

const PATHS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
  name => `${name}_temp_path temp/${name};`,
)

/** nginx in front of `origin`. It listens on a Unix socket, whose path is returned, so that no port is taken. */
async function startNginx(t: Test, origin: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'postrie-'))
  mkdirSync(join(dir, 'temp'))
  const socket = join(dir, 'nginx.sock')
  const conf = `daemon off; master_process off; pid nginx.pid; error_log stderr;
    events {}
    http { access_log off; ${PATHS.join(' ')}
      server { listen unix:${socket}; location / { proxy_pass ${origin}; } } }`
  writeFileSync(join(dir, 'nginx.conf'), conf)
  const nginx = spawn(NGINX ?? '', ['-p', dir, '-c', 'nginx.conf', '-e', 'stderr'], { stdio: 'ignore' })
  const ended = once(nginx, 'exit')
  t.teardown(async () => {
    nginx.kill()
    await ended
    rmSync(dir, { recursive: true })
  })
  for (let attempt = 0; attempt < 500 && !existsSync(socket) && nginx.exitCode === null; attempt++)
    await setTimeout(20)
  return socket
}

async function ask(socketPath: string, path: string) {
  const asked = request({ socketPath, path, headers: { Host: 'dashboard.example.com' } }).end()
  const [answer] = await once(asked, 'response')
  return { status: answer.statusCode as number, text: await text(answer), headers: answer.headers }
}

t.test(
  'a plain proxy does not let the world in as anybody',
  { skip: NGINX === undefined && 'no nginx here' },
  async t => {
    const { origin, entrance } = await startDashboard(t)
    const socket = await startNginx(t, origin)
    const signIn = await ask(socket, '/sign-in')
    t.equal(signIn.status, 200, 'the service takes the request for a local one')
    t.notMatch(signIn.text, 'href="/sign-in/development')
    for (const path of ['/sign-in/development', '/development/sign-in/x', '/development/oidc/auth'])
      t.equal((await ask(socket, path)).status, 403, path)
    const { pathname, search } = new URL(entrance)
    t.equal((await ask(socket, pathname + search)).status, 303, 'while the token lets its owner in')
  },
)
