/** Importers: official registers, and files of addresses. */
import type { Completeness } from '../../src/postal/format/meta.ts'
import { decimalOf, NOWHERE } from '../row.ts'
import type { Credit } from '../source.ts'
import type { Entry } from './gather.ts'
import type { TableFormat } from './table-file.ts'

/** Returns one entry or several, null for a line to skip (withdrawn codes), or the fault. */
type ReadLine = (cells: readonly string[]) => Entry | readonly Entry[] | string | null

interface Kind extends Pick<Credit, 'title' | 'licence' | 'attribution' | 'url'> {
  readonly kind: string
  /** `''` if the option must name it, `any` if it may. */
  readonly country: string
  readonly completeness: Completeness
}

/** Register, read line by line. `open` first reads what lies next to the file. */
export type Register = Kind & { readonly format: TableFormat } & (
    | { readonly entry: ReadLine }
    | { open(path: string): Promise<ReadLine> }
  )

/** Addresses in files that take minutes to read. The codes of each file are kept. */
export interface AddressImporter extends Kind {
  /** Ending of the files that a folder stands for. */
  readonly ending: string
  /**
   * Reads the file at `path`.
   * @param country only addresses of this country; `''`: of all
   * @param take receives each address with a code, `''` if it is not one of the country's post
   * @throws Error when the file is damaged or another
   */
  read(path: string, country: string, take: (entry: Entry) => void, onProgress: OnProgress): Promise<void>
}

export type Importer = Register | AddressImporter

export type OnProgress = (step: string, done: number, total: number) => void

/** File, and the country that the option names, or `''`. */
export interface ImportFile {
  path: string
  country: string
}

/** Parses a position; NaN for text that is none. */
export function degrees(lat: string, lon: string): { lat: number; lon: number } {
  return positionOf(decimalOf(lat), decimalOf(lon))
}

/** Returns the position; NaN if it is none. */
export function positionOf(lat: number, lon: number): { lat: number; lon: number } {
  const isPosition = Math.abs(lat) <= 90 && Math.abs(lon) <= 180 && (lat !== 0 || lon !== 0)
  return isPosition ? { lat, lon } : NOWHERE
}
