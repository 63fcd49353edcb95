/** What opening an index costs: the native library is loaded with the package, not while somebody waits for the first answer. */
import { execFileSync } from 'node:child_process'
import t from 'tap'

const MAIN = new URL('../../src/library/main.js', import.meta.url).href
const BROWSER = new URL('../../src/library/browser.js', import.meta.url).href

/** Whether a fresh process that has imported a module has loaded koffi. */
function loadsKoffi(module: string): boolean {
  const script = `
    await import(${JSON.stringify(module)})
    const { createRequire } = await import('node:module')
    const { cache } = createRequire(${JSON.stringify(MAIN)})
    console.log(Object.keys(cache).some(path => path.includes('koffi')))`
  const found = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  return JSON.parse(found)
}

t.test('the first openIndex loaded koffi, which took longer than all else of it', async t => {
  t.equal(loadsKoffi(MAIN), true)
  t.equal(loadsKoffi(BROWSER), false, 'where there are no files, nothing native is needed')
})
