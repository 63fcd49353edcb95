/** Files mapped into memory, as tools and the library open an index. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { mapReadOnly } from '../../src/platform/map-file.ts'

const folder = t.testdir()
const MODULE = JSON.stringify(new URL('../../src/platform/map-file.js', import.meta.url).href)

function fileOf(name: string, bytes: Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

t.test('a mapped file has the bytes of the file, and zeros once it has been released', async t => {
  for (const length of [1, 4095, 4096, 65_536, 200_001]) {
    const bytes = Uint8Array.from({ length }, (_, at) => 1 + (at % 251))
    const memory = mapReadOnly(fileOf(`${length}`, bytes))
    t.equal(Buffer.compare(memory.bytes, bytes), 0, `${length} bytes`)
    await memory.release()
    t.ok(
      memory.bytes.every(byte => byte === 0),
      `${length} bytes, released`,
    )
  }
  t.equal(mapReadOnly(fileOf('empty', new Uint8Array(0))).bytes.length, 0)
})

t.test('a mapped file outlives what was mapped before it and released', async t => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => at % 251)
  const path = fileOf('many', bytes)
  const kept = mapReadOnly(path)
  for (let round = 0; round < 200; round++) await mapReadOnly(path).release()
  t.equal(Buffer.compare(kept.bytes, bytes), 0)
  await kept.release()
})

t.test('a file is mapped where the address space is limited', async t => {
  const path = fileOf('limited', new Uint8Array(10_000).fill(9))
  const script = `const { bytes, release } = (await import(${MODULE})).mapReadOnly(${JSON.stringify(path)})
    console.log(bytes[9999])
    await release()`
  const program = [process.execPath, '--input-type=module', '-e', script]
  const limited = ['-c', 'ulimit -v 8000000 && exec "$@"', 'sh', ...program]
  t.equal(execFileSync('sh', limited, { encoding: 'utf8' }), '9\n')
})
