/** Sealed texts, which a browser keeps: what was opened once is opened again only for its purpose and within its time. */
import t from 'tap'
import { OPENED_TEXTS_MAX } from '../../src/control/limits.ts'
import { Seal } from '../../src/control/shell/seal.ts'

const KEY = Buffer.alloc(32, 7)
const HOUR_MS = 3_600_000

/** Another character in the middle. */
function changed(text: string): string {
  return text.slice(0, 30) + (text[30] === 'A' ? 'B' : 'A') + text.slice(31)
}

t.test('a text that has been opened before ends with its time, and has one purpose', async t => {
  let nowMs = 1_700_000_000_000
  const seal = new Seal(KEY, () => nowMs)
  const text = seal.seal('session', { id: 'one' }, nowMs + HOUR_MS)
  for (let visit = 0; visit < 3; visit++) {
    t.same(seal.open('session', text), { id: 'one' })
    t.equal(seal.open('sign-in', text), undefined)
    t.equal(seal.open('session', changed(text)), undefined)
    t.equal(seal.open('session', text.slice(0, -8)), undefined)
  }
  nowMs += HOUR_MS
  t.equal(seal.open('session', text), undefined)
  nowMs -= 1
  t.same(seal.open('session', text), { id: 'one' }, 'by the clock as it is')
  t.equal(new Seal(Buffer.alloc(32, 8), () => nowMs).open('session', text), undefined, 'another key')
})

t.test('as many texts as anybody sends, and all of them open', async t => {
  const seal = new Seal(KEY)
  const endMs = Date.now() + HOUR_MS
  const texts = Array.from({ length: OPENED_TEXTS_MAX + 50 }, (_, n) => seal.seal('session', n, endMs))
  for (let round = 0; round < 2; round++) t.ok(texts.every((text, n) => seal.open('session', text) === n))
})
