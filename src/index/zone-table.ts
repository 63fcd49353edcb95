/** The time zones of an index, by number. */
import { type Piece, pieceOf } from '../text/piece.ts'
import { isListOf, isText, unpacked } from './unpacked.ts'

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
    this.#names ??= unpacked(this.#packed, 'the time zones in META', (value): value is string[] =>
      isListOf(value, isZoneName),
    )
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

/** Printable ASCII without quotes, as every name of a time zone is: it goes into answers as it stands. */
function isZoneName(value: unknown): value is string {
  return isText(value) && /^[\w+/-]*$/.test(value)
}
