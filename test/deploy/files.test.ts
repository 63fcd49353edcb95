import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { SHUTDOWN_GRACE_MS } from '../../src/platform/limits.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { post } from '../support/post.ts'
import { CLI, readyServer } from '../support/processes.ts'
import { pathOf, without, withoutTracing } from '../support/programs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

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

t.test('a stack trace names the source file and its line', async t => {
  const { stderr } = spawnSync(process.execPath, ['--enable-source-maps', CLI, 'lookup', '12345'], {
    encoding: 'utf8',
    env: { LOG_LEVEL: 'debug', INDEX_FILE: '/dev/null' },
  })
  const [, file = '', line = ''] = /at .*?(\/src\/[\w/-]+\.ts):(\d+):/.exec(stderr) ?? []
  t.ok(file !== '', stderr)
  const source = readFileSync(join(import.meta.dirname, '../../..', file), 'utf8').split('\n')
  t.ok(Number(line) <= source.length, `${file}:${line}`)
})

t.test('the command runs at its present and at its former path', async t => {
  for (const program of [CLI, join(import.meta.dirname, '../../src/cli.js')]) {
    const { status, error } = spawnSync(program, ['--help'])
    t.equal(status, 0, `${program} ${error ?? ''}`)
  }
})

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** Root may write anywhere, so the test runs as another user. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** Makes a small checkout with one source. Returns its folder and a function that compiles it. */
function smallCheckout(t: Test) {
  const folder = temporaryFolder(t)
  for (const name of ['deploy', 'dist/bundle', 'src']) mkdirSync(join(folder, name), { recursive: true })
  cpSync(join(ROOT, 'deploy/compile.mjs'), join(folder, 'deploy/compile.mjs'))
  const command = "new URL('../dist/bundle/cli.js', import.meta.url)"
  const bundler = `import { writeFileSync } from 'node:fs'\nexport const bundle = () => (writeFileSync(${command}, 'new'), 0)\n`
  writeFileSync(join(folder, 'deploy/bundle.mjs'), bundler)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const outputs = { outDir: 'dist', rootDir: '.', types: [] }
  writeFileSync(
    join(folder, 'tsconfig.build.json'),
    JSON.stringify({ compilerOptions: outputs, include: ['src'] }),
  )
  writeFileSync(join(folder, 'src/cli.ts'), 'export const one: number = 1\n')
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'dist/bundle/cli.js'), 'old')
  const compile = (user = {}) =>
    spawnSync(process.execPath, [join(folder, 'deploy/compile.mjs')], { encoding: 'utf8', ...user })
  return { folder, compile }
}

t.test('a compiled checkout starts for a user without write access', t => {
  const { folder, compile } = smallCheckout(t)
  t.teardown(() => {
    for (const name of ['', 'dist']) chmodSync(join(folder, name), 0o755)
  })
  for (const name of ['', 'dist']) chmodSync(join(folder, name), 0o555)
  const { status, stdout, stderr } = compile(NOBODY)
  t.equal(status, 0, stdout + stderr)
  t.equal(stdout, '')
  t.end()
})

t.test('nothing is compiled until a source changes', t => {
  const { folder, compile } = smallCheckout(t)
  const output = join(folder, 'dist/src/cli.js')
  const isCompiled = () => {
    rmSync(output, { force: true })
    t.match(compile(), { status: 0, stdout: '', stderr: '' })
    return existsSync(output)
  }
  t.ok(isCompiled())
  t.notOk(isCompiled())
  writeFileSync(join(folder, 'src/cli.ts'), 'export const one: number = 11\n')
  // An older time, as of a copy that keeps times.
  utimesSync(join(folder, 'src/cli.ts'), new Date(0), new Date(0))
  t.ok(isCompiled())
  t.end()
})

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

const UNIT = readFileSync(join(ROOT, 'deploy/postrie.service'), 'utf8')
/** V8 asks once for memory protection keys and works without them. */
const OPTIONAL_CALLS = ['pkey_alloc']
/** Number of records that needs a bulk worker. */
const RECORDS = 900

const skip = withoutTracing() || without('systemd-analyze')
const groups = skip === false ? readGroups() : new Map<string, string[]>()

t.test(
  'a service whose filter refuses to alter priorities serves batches, and needs no other refused call',
  { skip },
  async t => {
    const dir = t.testdir({ data: {} })
    writeIndex(join(dir, 'data'))
    const countFile = join(dir, 'calls')
    const refused = [...membersOf('@resources'), ...OPTIONAL_CALLS].map(name => `?${name}`)
    const options = ['-f', '-qq', '-c', '-e', `inject=${refused}:error=EPERM`, '-o', countFile]
    const child = spawn(pathOf('strace'), [...options, process.execPath, CLI, 'serve'], {
      env: {
        PATH: process.env.PATH,
        DATA_DIR: join(dir, 'data'),
        PORT: '0',
        CONTROL_PORT: '0',
        BULK_WORKERS: '1',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const { api, key: apiKey, output, ended } = await readyServer(child)
    const records = Array.from({ length: RECORDS }, () => ({ postalCode: '90210', countryCode: 'US' }))
    t.equal((await post(api, '/api/validate-bulk', { apiKey, records })).status, 200, output.stderr)
    const pid = Number(/"pid":(\d+)/.exec(output.stderr)?.[1])
    process.kill(pid, 'SIGHUP')
    process.kill(pid, 'SIGTERM')
    t.equal(await ended, 0)
    const allowed = allowedCalls()
    const called: readonly string[] = readFileSync(countFile, 'utf8').match(/(?<= )[a-z]\w+$/gm) ?? []
    t.ok(called.includes('mmap') && called.includes('flock'), 'calls are seen')
    const expected = ['syscall', 'total', ...OPTIONAL_CALLS]
    t.same(
      called.filter(name => !expected.includes(name) && !allowed.has(name)),
      [],
    )
  },
)

/** Returns the calls that `SystemCallFilter` allows. Reads line by line as systemd does. */
function allowedCalls(): Set<string> {
  const allowed = new Set(membersOf('@default'))
  for (const [, inverted, names] of UNIT.matchAll(/^SystemCallFilter=(~?)(.*)$/gm))
    for (const call of names.split(' ').flatMap(membersOf)) {
      if (inverted === '') allowed.add(call)
      else allowed.delete(call)
    }
  return allowed
}

function membersOf(name: string): string[] {
  return name.startsWith('@') ? (groups.get(name) ?? []).flatMap(membersOf) : [name]
}

/** Reads the members of each group of system calls. */
function readGroups(): Map<string, string[]> {
  const { stdout } = spawnSync(pathOf('systemd-analyze'), ['syscall-filter'], { encoding: 'utf8' })
  const blocks = stdout.split(/^(?=@)/m).filter(block => block.startsWith('@'))
  return new Map(
    blocks.map(block => {
      const [name, ...members] = block.split('\n').map(line => line.trim())
      return [name, members.filter(member => /^[@a-z]/.test(member))]
    }),
  )
}
