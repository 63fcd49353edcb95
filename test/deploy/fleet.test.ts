/** The files of deploy/fleet are read by what they are for, and fit each other. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'

const FLEET = fileURLToPath(new URL('../../../deploy/fleet/', import.meta.url))
const NODES = ['node1', 'node2', 'node3']

const text = (name: string) => readFileSync(join(FLEET, name), 'utf8')

t.test(
  'the nodes of Docker Compose share a database, have volumes of their own, and are those of nginx',
  async t => {
    const { services, volumes } = parse(text('compose.yaml'), { merge: true })
    t.same(Object.keys(services), ['postgres', ...NODES, 'nginx'])
    for (const name of NODES) {
      const { environment, build, volumes: mounts, depends_on: needs } = services[name]
      t.match(environment.ACCOUNTS, /^postgres:\/\/postrie:.*@postgres:5432\/postrie$/)
      t.ok(readFileSync(join(FLEET, build.context, build.dockerfile)), 'the image')
      t.same(mounts, [`${name}:/data`])
      t.match(needs, { postgres: { condition: 'service_healthy' } })
      t.match(text('nginx.conf'), new RegExp(`server ${name}:8080 `))
    }
    t.same(Object.keys(volumes), ['database', ...NODES])
    t.same(services.nginx.depends_on, NODES)
    const [port] = services.nginx.ports[0].split(':').toReversed()
    t.match(text('nginx.conf'), new RegExp(`listen ${port};`))
  },
)

t.test('nginx takes its file', async t => {
  const isMissing = spawnSync('nginx', ['-v']).error !== undefined
  if (isMissing) return t.comment('nginx is not installed')
  const dir = t.testdir()
  const path = join(dir, 'nginx.conf')
  // There is no network with these names here.
  const own = text('nginx.conf').replaceAll(/server node(\d):/g, 'server 127.0.0.$1:')
  writeFileSync(path, own.replaceAll('/tmp/', `${dir}/`))
  const { status, stderr } = spawnSync('nginx', ['-t', '-c', path, '-p', dir], { encoding: 'utf8' })
  t.equal(status, 0, stderr)
})
