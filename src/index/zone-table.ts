/** The time zones of an index, by number. */
import { unpack } from 'msgpackr'
import { type Piece, pieceOf } from '../text/piece.ts'

export class ZoneTable {
  readonly #packed: Uint8Array
  #names: readonly string[] | undefined
  readonly #pieces: (Piece | undefined)[] = []

  /** @param packed names as msgpack, the first empty; unpacked when one is first asked for */
  constructor(packed: Uint8Array) {
    this.#packed = packed
  }

  /** IANA name; `''` for none. */
  name(zone: number): string {
    this.#names ??= unpack(this.#packed) as string[]
    return this.#names[zone] ?? ''
  }

  /** The name as a part of a JSON string. */
  piece(zone: number): Piece {
    let piece = this.#pieces[zone]
    if (piece === undefined) {
      piece = pieceOf(JSON.stringify(this.name(zone)).slice(1, -1))
      this.#pieces[zone] = piece
    }
    return piece
  }
}
