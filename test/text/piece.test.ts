/** Pieces of every length, against `Buffer.write`. */
import fc from 'fast-check'
import t from 'tap'
import { pieceOf, putPiece } from '../../src/text/piece.ts'

const printable = fc.string({
  maxLength: 40,
  unit: fc.integer({ min: 0x20, max: 0x7e }).map(unit => String.fromCharCode(unit)),
})

t.test('a piece is what it was made from, wherever it is put, and touches nothing before it', async () => {
  fc.assert(
    fc.property(printable, fc.nat(20), (text, at) => {
      const bytes = Buffer.alloc(80, 0xff)
      const end = putPiece(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), at, pieceOf(text))
      return (
        end === at + text.length &&
        bytes.toString('latin1', at, end) === text &&
        bytes.subarray(0, at).every(byte => byte === 0xff) &&
        bytes.subarray(end + 7).every(byte => byte === 0xff)
      )
    }),
  )
})

t.test('what a double could spoil is refused', async t => {
  for (const text of ['Zürich', 'a\nb', '\u007f']) t.throws(() => pieceOf(text), /printable ASCII expected/)
})
