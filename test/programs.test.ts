/** A test may run a program of the system only by `test/support/programs.ts`, so that a machine without it skips the test. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { PROGRAMS } from './support/programs.ts'

const TEST = fileURLToPath(new URL('../../test/', import.meta.url))
/** Programs of every Debian, and of Node.js. */
const EVERYWHERE = ['bash', 'id', 'mkfifo', 'npm', 'npx', 'sh', 'tar', 'umount', 'unshare']
/** A call that starts the program of its first text, possibly after the test or a folder. */
const START =
  /(?<![.\w])(?:spawn|exec|execFile|run)(?:Sync)?\((?:[a-z]\w*, )*(?:'([a-z][\w-]*)'|pathOf\('([\w-]+)'\))/g
/** Another call that gets a program of the table. */
const CALL = new RegExp(`(?<![.\\w])\\w+\\((?:[a-z]\\w*, )*'(${Object.keys(PROGRAMS).join('|')})'`, 'g')
/** Calls and options that ask for programs. */
const ASKED: readonly (readonly [RegExp, string])[] = [
  [/\bwithoutTracing\(\)/, 'strace'],
  [/\bneedsMount\b/, 'mount'],
  [/\/postgres\.ts'/, 'postgres'],
]

interface Found {
  file: string
  program: string
  isAsked: boolean
}

function programsOf(file: string, text: string): Found[] {
  const listed = Array.from(text.matchAll(/\bwithout\(([^)]*)\)/g), match => match[1]).join()
  const asked = ASKED.filter(([pattern]) => pattern.test(text)).map(([, program]) => program)
  const started = Array.from(text.matchAll(START), ([, plain, found]) => plain ?? found)
  const given = Array.from(text.matchAll(CALL), match => match[1])
  return [...new Set([...started, ...given])].map(program => ({
    file,
    program,
    isAsked: [...EVERYWHERE, ...asked].includes(program) || listed.includes(`'${program}'`),
  }))
}

t.test('every program that a test runs is asked for', async t => {
  const files = readdirSync(TEST, { recursive: true, encoding: 'utf8' }).filter(
    file => /\.test\.ts$/.test(file) && !file.includes('node_modules') && file !== 'programs.test.ts',
  )
  const found = files.flatMap(file => programsOf(file, readFileSync(join(TEST, file), 'utf8')))
  t.comment(found.map(({ file, program }) => `${program} ${file}`).join('\n'))
  for (const { file, program, isAsked } of found)
    t.ok(isAsked, `${file} runs ${program}: ask for it by without('${program}'), or add it to the table`)
  t.ok(found.length > 20)
})

t.test('a program that nobody asked for is found', async t => {
  for (const call of ["spawn('jq', [])", "start(t, fleet, 'haproxy', 'haproxy.cfg')"])
    t.match(programsOf('x', call), [{ isAsked: false }], call)
})
