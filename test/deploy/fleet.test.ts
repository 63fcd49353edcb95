import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { parse } from 'yaml'
import { freePort } from '../../bench/service.ts'
import { Fleet } from '../billing/fleet/fleet.ts'
import { post } from '../support/post.ts'
import { type Program, startProgram, without } from '../support/programs.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'

t.setTimeout(120_000)

const FLEET = fileURLToPath(new URL('../../../deploy/fleet/', import.meta.url))
const NODES = ['node1', 'node2', 'node3']

const text = (name: string) => readFileSync(join(FLEET, name), 'utf8')

t.test('the nodes of Docker Compose share a database, and the proxies name them', async t => {
  const { services, volumes } = parse(text('compose.yaml'), { merge: true })
  t.same(Object.keys(services), ['postgres', ...NODES, 'haproxy'])
  for (const name of NODES) {
    const { environment, build, volumes: mounts, depends_on: needs } = services[name]
    t.match(environment.ACCOUNTS, /^postgres:\/\/postrie:.*@postgres:5432\/postrie$/)
    t.ok(readFileSync(join(FLEET, build.context, build.dockerfile)), 'the image')
    t.same(mounts, [`${name}:/data`])
    t.match(needs, { postgres: { condition: 'service_healthy' } })
    t.match(text('nginx.conf'), new RegExp(`server ${name}:8080 `))
    t.match(text('haproxy.cfg'), new RegExp(`server ${name} ${name}:8080\n`))
  }
  t.same(Object.keys(volumes), ['database', ...NODES])
  t.same(services.haproxy.depends_on, NODES)
  const [port] = services.haproxy.ports[0].split(':').toReversed()
  t.match(text('haproxy.cfg'), new RegExp(`bind :${port}\n`))
})

const skip = without('haproxy', 'nginx')

t.test('a proxy leaves out a node that is cut off from the database', { skip }, async t => {
  const fleet = await Fleet.start(t, 1)
  const network = await TcpProxy.open(t, fleet.postgres.port)
  await fleet.add({ ACCOUNTS: fleet.postgres.urlBy(network.port) })
  const { key } = await fleet.openAccount(1_000_000)
  const haproxy = await start(t, fleet, 'haproxy', 'haproxy.cfg', path => ['-db', '-f', path])
  const nginx = await start(t, fleet, 'nginx', 'nginx.conf', path => ['-c', path, '-g', 'daemon off;'])
  const lookup = async (url: string) =>
    (await post(url, '/api/lookup', { zipcode: '90210', apiKey: key })).status
  const lookups = async (url: string) => {
    const statuses: number[] = []
    for (let i = 0; i < 60; i++) statuses.push(await lookup(url))
    return [...new Set(statuses)]
  }
  const [, cut] = fleet.nodes
  const isReady = async () => (await fetch(`${cut.server.api}/readyz`)).ok
  await Promise.all([haproxy, nginx].map(url => until(async () => (await lookup(url)) === 200)))

  network.silence()
  await until(async () => !(await isReady()))
  const readiness = await (await fetch(`${cut.server.api}/readyz`)).text()
  t.match(readiness, 'the database of the fleet does not answer')
  // The proxy's next check takes the node out within a second.
  await until(async () => (await lookups(haproxy)).join() === '200')
  t.same(await lookups(haproxy), [200], 'HAProxy has left it out')
  const found = await lookups(nginx)
  t.ok(found.includes(200) && found.every(status => [200, 503].includes(status)), `nginx: ${found}`)

  network.heal()
  await until(isReady)
  await until(async () => (await lookups(nginx)).join() === '200')
  t.same(await lookups(haproxy), [200])
})

/** Runs a proxy on its file. Two of its three nodes are those of the test. Returns the address of the API. */
async function start(
  t: Test,
  { nodes }: Fleet,
  command: Program,
  file: string,
  args: (path: string) => string[],
): Promise<string> {
  const dir = t.testdir()
  const [port, dashboard, nobody] = await Promise.all([freePort(), freePort(), freePort()])
  const path = join(dir, file)
  const ports = [nodes[0].port, nodes[1].port, nobody]
  const own = text(file)
    .replace(/node(\d):8080/g, (_, node) => `127.0.0.1:${ports[Number(node) - 1]}`)
    .replace(/node\d:8081/g, `127.0.0.1:${nobody}`)
    .replace(/(bind :|listen )8000/, `$1${port}`)
    .replace(/(bind :|listen )8001/, `$1${dashboard}`)
    .replaceAll('/tmp/', `${dir}/`)
  writeFileSync(path, own)
  await startProgram(t, command, args(path), port)
  const url = `http://127.0.0.1:${port}`
  await until(async () => (await fetch(`${url}/healthz`).catch(() => null))?.ok === true)
  return url
}
