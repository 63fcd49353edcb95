/** An importer: an official register, or files of addresses, and for each what is its own. */
import type { Completeness, Credit } from '../source.ts'
import type { Entry } from './gather.ts'
import type { TableFormat } from './table-file.ts'

/** A row, or several; null for a line to be left out without a word (withdrawn codes); a text when it is not a row. */
export type ReadLine = (cells: readonly string[]) => Entry | readonly Entry[] | string | null

interface Kind extends Pick<Credit, 'title' | 'licence' | 'attribution' | 'url'> {
  /** Name before the file in `--source`. */
  readonly kind: string
  /** ISO 3166-1 alpha-2; `''` where the option must name it, `any` where it may. */
  readonly country: string
  readonly completeness: Completeness
}

/** A register reads each line on its own, or first reads what lies next to the file at `path`. */
export type Register = Kind & { readonly format: TableFormat } & (
    | { readonly entry: ReadLine }
    | { open(path: string): Promise<ReadLine> }
  )

/** Addresses in files that take minutes to read. Each file's codes are getOrMake, so that it is read once. */
export interface AddressImporter extends Kind {
  /** A folder stands for its files of this ending. */
  readonly ending: string
  /**
   * Reads the file at `path`.
   * @param country only addresses of this one; `''`: of all
   * @param take is given each address with a code, `''` where that is not one of the country's post
   * @throws Error when the file is damaged or another
   */
  read(path: string, country: string, take: (entry: Entry) => void, onProgress: OnProgress): Promise<void>
}

export type Importer = Register | AddressImporter

export type OnProgress = (step: string, done: number, total: number) => void

/** A file, and the country that the option names, or `''`. */
export interface ImportFile {
  path: string
  country: string
}

/** Degrees from text; NaN for what is not a position. */
export function degrees(lat: string, lon: string): { lat: number; lon: number } {
  const [north, east] = [lat, lon].map(text => (text === '' ? Number.NaN : Number(text.replace(',', '.'))))
  return positionOf(north, east)
}

/** A position; NaN for what is none. */
export function positionOf(lat: number, lon: number): { lat: number; lon: number } {
  const isPosition = Math.abs(lat) <= 90 && Math.abs(lon) <= 180 && (lat !== 0 || lon !== 0)
  return isPosition ? { lat, lon } : { lat: Number.NaN, lon: Number.NaN }
}
