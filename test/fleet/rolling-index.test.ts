/**
 * A fleet behind a balancer is rolled to a new index and back under load, by `postrie publish` and INDEX_URL. FLEET_ROLLS chooses how
 * often; nightly 30.
 */
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer as createWebServer } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { MANIFEST_NAME } from '../../src/publication/manifest.ts'
import { publishIndex } from '../../src/publication/publish.ts'
import { Load } from '../operate/load.ts'
import { code, country, place } from '../support/countries.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { postrie } from '../support/processes.ts'
import { Fleet } from './fleet.ts'

const ROLLS = Number(process.env.FLEET_ROLLS ?? 2)
const NODES = 3
const ALL_SERVE_MS_MAX = 30_000

t.setTimeout(120_000 + ROLLS * 20_000)

/** Connections go to the nodes in turn. Returns the address. */
async function balancer(t: Test, ports: readonly number[]): Promise<string> {
  let next = 0
  const server = createServer(client => {
    const upstream = connect(ports[next++ % ports.length], '127.0.0.1')
    client.pipe(upstream).pipe(client)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ])
      socket.on('error', () => other.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A web server of a folder. Returns the address of its manifest. */
async function website(t: Test, folder: string): Promise<string> {
  const server = createWebServer((request, response) => {
    const path = join(folder, request.url ?? '')
    if (!existsSync(path)) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-length': statSync(path).size })
    createReadStream(path).pipe(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/${MANIFEST_NAME}`
}

t.test('an index is changed and changed back under load, and a bad one is refused', async t => {
  const work = t.testdir({ site: {} })
  const site = join(work, 'site')
  const pem = (name: string) => join(work, `${name}.pem`)
  const keyOf = (name: string) => createPrivateKey(readFileSync(pem(name)))
  for (const name of ['ours', 'strange']) {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    writeFileSync(pem(name), privateKey.export({ type: 'pkcs8', format: 'pem' }))
    writeFileSync(pem(`${name}-public`), publicKey.export({ type: 'spki', format: 'pem' }))
  }
  /** Publishes an index in which 90210 is in `city`. Returns its build. */
  const publish = async (city: string, signedBy = 'ours'): Promise<string> => {
    const folder = join(work, city)
    if (!existsSync(folder)) mkdirSync(folder)
    const index = writeIndex(folder, [country('US', [code('90210', [place(city)])], { padTo: 5 })])
    if (signedBy !== 'ours' || city === 'Delta')
      return (await publishIndex(index, site, keyOf(signedBy))).build
    const args = ['publish', site, '--sign', pem(signedBy), '--json']
    const { code: exit, stdout, stderr } = await postrie(work, args, { INDEX_FILE: index })
    t.equal(exit, 0, stderr)
    return JSON.parse(stdout).build
  }
  const first = await publish('Alpha')
  const fleet = await Fleet.start(t, NODES, {
    INDEX_FILE: undefined,
    INDEX_URL: await website(t, site),
    INDEX_PUBLIC_KEY: pem('ours-public'),
    INDEX_CHECK_SECONDS: '1',
  })
  const [node] = fleet.nodes
  await fleet.command(['account', 'create', 'ada@example.com'], node)
  await fleet.command(['account', 'credit', 'ada@example.com', '1000', '--reference', 'rolls'], node)
  const { key } = await fleet.command(['key', 'create', 'ada@example.com'], node)
  const api = await balancer(
    t,
    fleet.nodes.map(({ port }) => port),
  )
  const load = new Load(api, key)
  t.teardown(() => load.stop())

  const inTime = async (holds: () => Promise<boolean> | boolean) => {
    const endMs = performance.now() + ALL_SERVE_MS_MAX
    while (!(await holds())) {
      if (performance.now() > endMs) throw new Error(`waited ${ALL_SERVE_MS_MAX} ms in vain for ${holds}`)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
  const cities = () =>
    Promise.all(
      fleet.nodes.map(async ({ port }) => {
        const body = JSON.stringify({ zipcode: '90210', apiKey: key })
        const answer = await fetch(`http://127.0.0.1:${port}/api/lookup`, { method: 'POST', body })
        return ((await answer.json()) as { city?: string }).city
      }),
    )
  const builds = async () => {
    const rows = await fleet.postgres.query(
      'select index_build from postrie.node where address like $1 order by id',
      ['%:%'],
    )
    return rows.map(({ index_build }) => index_build)
  }
  const served = async (city: string, build: string) => {
    await inTime(async () => (await cities()).every(found => found === city))
    await inTime(async () => (await builds()).every(found => found === build))
    await load.more()
  }
  const refusals = () =>
    fleet.nodes.map(
      ({ server }) => server.output.stderr.split('the published index cannot be used').length - 1,
    )
  const refused = async (count: number) => {
    await inTime(() => refusals().every(found => found >= count))
    t.same(new Set(await cities()), new Set(['Alpha']), 'the old one is still served')
    await load.more()
  }

  await served('Alpha', first)
  const rollsMs: number[] = []
  for (let roll = 1; roll <= ROLLS; roll++) {
    const city = roll % 2 === 1 ? 'Beta' : 'Alpha'
    const startMs = performance.now()
    await served(city, await publish(city))
    rollsMs.push(performance.now() - startMs)
  }
  if (ROLLS % 2 === 1) await served('Alpha', await publish('Alpha'))

  await publish('Gamma', 'strange')
  await refused(1)
  const build = await publish('Delta')
  truncateSync(join(site, `${build}.postrie`), 1000)
  await refused(2)
  t.same(new Set(await builds()), new Set([first]), 'and the nodes say so')

  await load.stop()
  t.same(load.failed, [])
  t.comment(
    `${ROLLS} rolls of ${NODES} nodes, the slowest in ${Math.round(Math.max(...rollsMs))} ms: ${load.answered} answers`,
  )
})
