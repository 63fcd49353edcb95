/** Importers: official registers, and files of addresses. */
import type { Completeness } from '../../src/postal/format/meta.ts'
import { decimalOf, NOWHERE } from '../row.ts'
import type { Credit, OnProgress } from '../source.ts'
import type { Found } from './gather.ts'

export interface Importer extends Pick<Credit, 'title' | 'licence' | 'attribution' | 'url'> {
  /** Name in options. */
  readonly kind: string
  /** `''` if the option must name it, `any` if it may. */
  readonly country: string
  readonly completeness: Completeness
  /** Ending of files of addresses. A folder of such files works too. */
  readonly ending?: string
  /**
   * Reads the file at `path`.
   * @param country only addresses of this country; `''`: of all
   * @param take receives each line or address
   * @throws Error when the file is damaged or another
   */
  read(path: string, country: string, take: (found: Found) => void, onProgress: OnProgress): Promise<void>
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
