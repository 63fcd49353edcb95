import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { SHUTDOWN_GRACE_MS } from '../../src/platform/limits.ts'
import { pathOf, without } from '../support/programs.ts'

const DEPLOY = fileURLToPath(new URL('../../../deploy/', import.meta.url))
/** Maximum exposure by `systemd-analyze security`: 0 is best, 10 is worst. */
const EXPOSURE_MAX = 1.5

const text = (name: string) => readFileSync(join(DEPLOY, name), 'utf8')

t.test('the systemd unit gives a stop enough time and writes no core file', async t => {
  const unit = text('postrie.service')
  const [seconds] = /(?<=^TimeoutStopSec=)\d+/m.exec(unit) ?? []
  // Replies, then batches, may each take the grace period.
  t.ok(Number(seconds) * 1000 > 2 * SHUTDOWN_GRACE_MS, 'a stop has enough time')
  t.match(unit, /^LimitCORE=0$/m, 'a crash writes no core file')
  t.equal(parse(text('compose.yaml')).services.postrie.ulimits.core, 0)
})

t.test('the systemd unit is valid and hardened', { skip: without('systemd-analyze') }, async t => {
  // The program of the unit is not installed here.
  const path = join(t.testdir(), 'postrie.service')
  writeFileSync(path, text('postrie.service').replaceAll('/usr/bin/node', process.execPath))
  const verified = spawnSync(pathOf('systemd-analyze'), ['verify', path], { encoding: 'utf8' })
  t.notMatch(verified.stderr, /postrie\.service/)
  const { stdout } = spawnSync(pathOf('systemd-analyze'), ['security', '--offline=yes', path], {
    encoding: 'utf8',
  })
  const [, exposure] = /Overall exposure level for postrie\.service: ([\d.]+)/.exec(stdout) ?? []
  t.ok(Number(exposure) <= EXPOSURE_MAX, `exposure ${exposure}`)
})

t.test('YAML files are valid and name files that exist', async t => {
  const compose = parse(text('compose.yaml'))
  t.same(Object.keys(compose.services), ['postrie', 'nginx'])
  const { dockerfile } = compose.services.postrie.build
  t.ok(readFileSync(join(DEPLOY, '..', dockerfile)), 'the image')
  const [mounted] = compose.services.nginx.volumes[0].split(':')
  t.match(text(mounted), /listen 8000;/, 'the proxy')
  const documents = parseAllDocuments(text('kubernetes/postrie.yaml')).map(document => {
    t.same(document.errors, [])
    return document.toJS()
  })
  const kinds = documents.map(({ kind }) => kind)
  t.same(kinds, ['Service', 'Service', 'StatefulSet'])
  const [container] = documents[2].spec.template.spec.containers
  const volumes = [...documents[2].spec.template.spec.volumes, ...documents[2].spec.volumeClaimTemplates]
  const names = volumes.map(volume => volume.name ?? volume.metadata.name)
  t.same(
    container.volumeMounts.map(({ name }: { name: string }) => name).sort(),
    names.sort(),
    'every mount has its volume',
  )
  t.match(parse(text('proxies/envoy.yaml')), {
    static_resources: { listeners: [{}], clusters: [{ name: 'postrie' }] },
  })
})

t.test('the image copies files that exist and runs commands that exist', async t => {
  const docker = text('Dockerfile')
  const program = /ENTRYPOINT \["node", "(.*)"\]/.exec(docker)?.[1]
  t.equal(program, JSON.parse(readFileSync(join(DEPLOY, '../package.json'), 'utf8')).bin.postrie)
  t.match(docker, /^USER node$/m)
  t.ok(readdirSync(DEPLOY).includes('slim.mjs'))
  const installs = docker.match(/npm ci[^&\n]*/g) ?? []
  t.equal(installs.length, 2)
  for (const command of installs) t.match(command, /--ignore-scripts/, 'packages ran code of theirs as root')
})
