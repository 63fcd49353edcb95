/** The time zones of an index, by number. */
import { unpack } from 'msgpackr'
import { type Piece, pieceOf } from '../text/piece.ts'
import { damaged } from './index-file-error.ts'

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
    this.#names ??= namesIn(this.#packed)
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

/** Printable ASCII, as every name of a time zone is: it goes into answers unescaped. */
const ZONE_NAME = /^[\w+/-]*$/

function namesIn(packed: Uint8Array): readonly string[] {
  let names: unknown
  try {
    names = unpack(packed)
  } catch {
    return damaged('the time zones in META cannot be read')
  }
  const isList = Array.isArray(names) && names.every(name => typeof name === 'string' && ZONE_NAME.test(name))
  return isList ? (names as string[]) : damaged('META has a time zone that is not a name')
}
