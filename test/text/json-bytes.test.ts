/** Runs of plain bytes, four at a time and one by one. */
import t from 'tap'
import { plainEnd, plainEndInWords } from '../../src/text/json-bytes.ts'

const BYTES = 11
const DEL = 0x7f

t.test(
  'words find the end of plain text where single bytes do, whatever ends it and wherever that is',
  async t => {
    const differences: string[] = []
    const body = new Uint8Array(BYTES)
    const view = new DataView(body.buffer)
    for (let byte = 0; byte < 256; byte++) {
      // Every reader takes DEL, which only decides whether the body is checked to be UTF-8.
      if (byte === DEL) continue
      for (let at = 0; at < BYTES; at++) {
        for (const after of [0x61, 0x22, 0x80, 0x00]) {
          body.fill(0x61).fill(after, at + 1)
          body[at] = byte
          for (let start = 0; start <= at; start++) {
            const [expected, found] = [plainEnd(body, start), plainEndInWords(view, start, BYTES)]
            if (found !== expected)
              differences.push(`${body.join()} from ${start}: ${found}, not ${expected}`)
          }
        }
      }
    }
    t.same(differences, [])
  },
)

t.test('what follows the body in the view is not read as a part of it', async t => {
  const view = new DataView(Uint8Array.from({ length: 16 }, () => 0x61).buffer)
  for (let end = 0; end <= 12; end++) t.equal(plainEndInWords(view, 0, end), end)
})
