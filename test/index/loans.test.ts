/** The memory of an index: released once, after its owner and the last loan, and empty for whoever still holds it. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { openServedIndex, verifyServedIndex } from '../../src/index/served-index.ts'
import { allocateShared } from '../../src/platform/shared-memory.ts'
import { writeIndex } from '../support/fixture-index.ts'

const path = writeIndex(t.testdir())

t.test('an index is released when its owner has replaced it and the last loan has ended', async t => {
  const { loans, codes } = await openServedIndex(path)
  const order: string[] = []
  let finish: () => void = () => {}
  const loan = loans.lend(async ({ memory }) => {
    t.ok(memory)
    await new Promise<void>(resolve => {
      finish = resolve
    })
    order.push('loan ended')
    t.ok(codes[0] !== undefined, 'the memory is still there')
  })
  const retired = loans.retire().then(() => order.push('released'))
  await new Promise(resolve => setImmediate(resolve))
  t.same(order, [], 'it waits for the loan')
  finish()
  await Promise.all([loan, retired, loans.retire()])
  t.same(order, ['loan ended', 'released'])
  await t.rejects(
    loans.lend(async () => {}),
    /the index has been released/,
  )
})

t.test('a loan that fails ends as well', async t => {
  const { loans } = await openServedIndex(path)
  await t.rejects(
    loans.lend(async () => {
      throw new Error('broken')
    }),
    /broken/,
  )
  await loans.retire()
})

t.test('a released index is empty instead of memory that is gone', async t => {
  const index = await openServedIndex(path)
  const verified = verifyServedIndex(index)
  await index.loans.retire()
  await verified
  t.same(
    [index.trie, index.codes, index.text, index.file.sections.TEXT.bytes].map(({ length }) => length),
    [0, 0, 0, 0],
  )
})

t.test('memory is returned to the system', { skip: process.platform !== 'linux' }, async t => {
  const memory = await allocateShared(64 * 1024 * 1024)
  memory.bytes.fill(1)
  const before = residentBytes()
  await memory.release()
  t.ok(before - residentBytes() > 60 * 1024 * 1024)
})

function residentBytes(): number {
  return Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024
}
