/**
 * `npm run check-data -- --ablate` gives each constant of the builder a tenth and ten times its value in turn. A constant
 * that changes codes, but no check for the worse, wins nothing.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { compareIndexes } from '../../build-index/check/compare.ts'

const run = promisify(execFile)
const BUILDER = fileURLToPath(new URL('../../build-index/', import.meta.url))
/** Files with thresholds, and with weights of evidence. */
const FILES = ['thresholds.js', 'position/weights.js']
/** `export const AT_PLACE_KM = 3`, or a weight. */
const CONSTANT = /^export const ([A-Z][A-Z_\d]+) = (-?\d[\d_.]*)|^ {4}(\w+): (-?\d[\d.]*),$/gm
const FACTORS = [0.1, 10]
/** A constant may be the bound of a loop. */
const BUILD_MINUTES_MAX = 10

interface Constant {
  file: string
  name: string
  /** Definition before the value. */
  head: string
  value: number
}

/** Number of wrong values by check. */
export type Wrong = ReadonlyMap<string, number>

/**
 * Prints a line for each constant and value: changed codes, checks for the worse and for the better.
 * @param names constants; none: all
 */
export async function ablate(
  names: readonly string[],
  countries: string | undefined,
  wrongOf: (index: string) => Wrong,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'postrie-ablate-'))
  try {
    const before = join(folder, 'before.postrie')
    await build(before, countries)
    const wrongBefore = wrongOf(before)
    console.log('constant                        value      codes    worse   better  largest')
    for (const constant of constants())
      for (const factor of FACTORS) {
        if (names.length > 0 && !names.includes(constant.name)) continue
        const value = Number((constant.value * factor).toPrecision(12))
        const after = join(folder, 'after.postrie')
        const head = `${constant.name.padEnd(26)} ${String(value).padStart(10)}`
        try {
          await build(after, countries, { ...constant, value })
        } catch (error) {
          const [message] = String(error).split('\n')
          console.log(`${head}  no index: ${message}`)
          continue
        }
        console.log(`${head} ${outcome(before, after, wrongBefore, wrongOf(after))}`)
        rmSync(after)
      }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function constants(): Constant[] {
  return FILES.flatMap(file => {
    const code = readFileSync(join(BUILDER, file), 'utf8')
    return Array.from(code.matchAll(CONSTANT), ([text, name, number, weight, share]) => ({
      file,
      name: name ?? weight,
      head: text.slice(0, text.lastIndexOf(number ?? share)),
      value: Number((number ?? share).replaceAll('_', '')),
    }))
  })
}

function outcome(before: string, after: string, wrongBefore: Wrong, wrongAfter: Wrong): string {
  const codes = compareIndexes(before, after, 0).reduce(
    (sum, { counts }) => sum + Object.values(counts).reduce((all, count) => all + count),
    0,
  )
  const changes = Array.from(wrongAfter, ([check, wrong]) => ({
    check,
    by: wrong - (wrongBefore.get(check) ?? 0),
  })).filter(({ by }) => by !== 0)
  const sumOf = (sign: number) =>
    changes.reduce((sum, { by }) => sum + Math.max(0, by * sign), 0).toLocaleString('en-US')
  const largest = changes
    .sort((a, b) => Math.abs(b.by) - Math.abs(a.by))
    .slice(0, 3)
    .map(({ check, by }) => `${by > 0 ? '+' : ''}${by} ${check}`)
  return `${codes.toLocaleString('en-US').padStart(10)} ${sumOf(1).padStart(8)} ${sumOf(-1).padStart(8)}  ${largest.join(', ')}`
}

/** Builds the default index, with another value of a constant. */
async function build(output: string, countries: string | undefined, changed?: Constant): Promise<void> {
  const hooks = `export async function load(url, context, next) {
    const loaded = await next(url, context)
    if (!url.endsWith(${JSON.stringify(`/build-index/${changed?.file}`)})) return loaded
    const head = ${JSON.stringify(changed?.head)}
    const source = String(loaded.source)
    const at = source.indexOf(head) + head.length
    return { ...loaded, source: source.slice(0, at) + source.slice(at).replace(/^[-\\d_.e]+/, '${changed?.value}') }
  }`
  const register = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hooks))})`
  const options = changed === undefined ? [] : ['--import', dataUrl(register)]
  const only = countries === undefined ? [] : ['--countries', countries]
  await run(process.execPath, [...options, join(BUILDER, 'main.js'), 'build', ...only, '--output', output], {
    // Hooks do not reach other threads.
    env: { ...process.env, BUILD_THREADS: '1' },
    timeout: BUILD_MINUTES_MAX * 60_000,
    killSignal: 'SIGKILL',
  })
}

function dataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`
}
