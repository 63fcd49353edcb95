/** Fixed parts of responses. A copy of eight bytes at a time takes a third of the time of a copy by byte. */

const WORD_BYTES = 8
const SPACE = 0x20
const PRINTABLE = /^[ -~]*$/

export interface Piece {
  readonly bytes: Uint8Array
  /** The same bytes as doubles, padded with spaces. V8 copies doubles without an object. */
  readonly words: Float64Array
}

/** @param text printable ASCII @throws RangeError for anything else */
export function pieceOf(text: string): Piece {
  if (!PRINTABLE.test(text))
    throw new RangeError(`${JSON.stringify(text)} cannot be a piece of a response: printable ASCII expected`)
  const padded = new Uint8Array(Math.ceil(text.length / WORD_BYTES) * WORD_BYTES).fill(SPACE)
  for (let i = 0; i < text.length; i++) padded[i] = text.charCodeAt(i)
  const view = new DataView(padded.buffer)
  const words = new Float64Array(padded.length / WORD_BYTES)
  for (let i = 0; i < words.length; i++) words[i] = view.getFloat64(i * WORD_BYTES, true)
  return { bytes: padded.subarray(0, text.length), words }
}

/** Writes `piece` to `out` at `at`, and up to seven spaces after it. Returns the end of the piece. */
export function putPiece(out: DataView, at: number, piece: Piece): number {
  const { words } = piece
  for (let i = 0; i < words.length; i++) out.setFloat64(at + i * WORD_BYTES, words[i], true)
  return at + piece.bytes.length
}
