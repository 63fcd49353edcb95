import { appendFileSync, chmodSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openStoreFile } from '../../src/console/store/store-file.ts'

const open = (path: string) => openStoreFile(path, 'nothing is lost')
const LINES = ['["a",1]\n', '["b",2]\n', '["a"]\n']

/** Creates a file with LINES, each appended by itself. */
async function create(path: string): Promise<Buffer> {
  const { file } = await open(path)
  for (const line of LINES) await file.append(Buffer.from(line))
  return readFileSync(path)
}

t.test('a file that was cut anywhere, or has a wrong byte, is refused with a remedy', async t => {
  const path = join(t.testdir(), 'store.jsonl')
  const whole = await create(path)
  t.equal(whole.toString('utf8', 64), LINES.join(''))
  const refused = {
    message: /found .*\. Records that were stored are lost\. Restore .*or move it away.*: nothing is lost\./,
  }
  for (let length = whole.length - 1; length >= 0; length--) {
    truncateSync(path, length)
    await t.rejects(open(path), refused, `${length} bytes`)
  }
  for (let at = 0; at < whole.length; at++) {
    // Spaces at the end of the header say nothing.
    if (whole[at] === 0x20) continue
    writeFileSync(path, whole.with(at, whole[at] ^ 1))
    await t.rejects(open(path), refused, `byte ${at}`)
  }
})

t.test('an append that was cut off by a crash is overwritten', async t => {
  const path = join(t.testdir(), 'store.jsonl')
  await create(path)
  appendFileSync(path, '["torn and never acknowledged"')
  for (const line of ['["c",3]\n', '["d",4]\n']) {
    const { file } = await open(path)
    await file.append(Buffer.from(line))
  }
  const { lines, file } = await open(path)
  t.equal(lines.toString(), `${LINES.join('')}["c",3]\n["d",4]\n`)
  t.same(await file.read(), lines)
})

t.test('a failed append leaves the file as it was, and the next one succeeds', async t => {
  const path = join(t.testdir(), 'store.jsonl')
  await create(path)
  const { file } = await open(path)
  chmodSync(path, 0o644)
  await t.rejects(file.append(Buffer.from('["lost"]\n')), /found mode 0644/)
  chmodSync(path, 0o600)
  await file.append(Buffer.from('["kept"]\n'))
  t.equal((await open(path)).lines.toString(), `${LINES.join('')}["kept"]\n`)
})

t.test('a new file exists only with its first lines', async t => {
  const path = join(t.testdir(), 'store.jsonl')
  const { file, isNew } = await open(path)
  t.ok(isNew)
  t.notOk(existsSync(path))
  await file.append(Buffer.from(LINES[0]))
  t.equal((await open(path)).isNew, false)
})
