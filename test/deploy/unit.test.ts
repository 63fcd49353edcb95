import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { writeIndex } from '../support/fixture-index.ts'
import { post } from '../support/post.ts'
import { CLI, readyServer } from '../support/processes.ts'
import { pathOf, without, withoutTracing } from '../support/programs.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
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
    const refused = membersOf('@resources').map(name => `?${name}`)
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
