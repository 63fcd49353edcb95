import { loadPackage, packageSource, readPackageText } from '../package-files.ts'
import { row } from '../row.ts'
import type { IsoArea } from '../source.ts'

const PACKAGE = 'thai-address-universal'
/** File with the tree of areas inside the package's code. */
const TREE_FILE = 'dist/cjs/index.js'
const THAI_FILE = 'dist/cjs/th_db-7YH3XI_U.js'
const ENGLISH_FILE = 'dist/cjs/en_db-CZSNAn5o.js'
const NUMBERS_FILE = 'dist/cjs/geo-5eeA-0DB.js'

/** Names are indexes into a table of words. */
type SubDistrict = [name: number, code: number | '']
type District = [name: number, subDistricts: SubDistrict[]]
type Province = [name: number, districts: District[]]

/** Names in which one letter stands for each frequent part. */
interface Words {
  data: string[]
  words: string
}

/** Thailand: codes by subdistrict, in Thai and English, without positions. */
export const thaiAddressUniversal = packageSource(PACKAGE, {
  title: 'Postal codes of Thailand',
  licence: 'ISC',
  attribution:
    'thai-address-universal, copyright (c) 2025 Thai Address Universal; data of thai-address-database',
  url: 'https://github.com/ophoomo/thai-address-universal',
  countries: { TH: 'full' },
  addsCodes: ['TH'],
  *rows() {
    const { tree, thai, english, numbers } = read()
    let at = 0
    for (const [province, districts] of tree) {
      const code1 = number(numbers[at++])
      for (const [district, subDistricts] of districts) {
        const code2 = number(numbers[at++])
        for (const [subDistrict, code] of subDistricts) {
          const code3 = number(numbers[at++])
          // Islands where nobody lives have no code.
          if (code === '') continue
          yield row('TH', String(code), english[subDistrict], {
            name1: english[province],
            code1,
            name2: english[district],
            code2,
            name3: english[subDistrict],
            code3,
            aliases: [thai[subDistrict]],
          })
        }
      }
    }
  },
  areas,
})

/** Yields provinces: their official numbers are those of ISO 3166-2. */
function* areas(): Iterable<IsoArea> {
  const { tree, thai, english, numbers } = read()
  let at = 0
  for (const [province, districts] of tree) {
    yield { code: number(numbers[at]), names: [english[province], thai[province]] }
    at += 1 + districts.length + districts.reduce((sum, [, { length }]) => sum + length, 0)
  }
}

function read() {
  const [, tree] = /(\[\[\d+,\[\[\d+,\[\[.*?\]\]\]\]\]\]);/.exec(readPackageText(PACKAGE, TREE_FILE)) ?? []
  if (tree === undefined) throw new Error(`${PACKAGE}: ${TREE_FILE} has no tree of areas`)
  return {
    // A subdistrict without a code has an empty template literal.
    tree: JSON.parse(tree.replaceAll('``', '""')) as Province[],
    thai: namesOf(loadPackage<Words>(PACKAGE, THAI_FILE), /[A-Za-z]/g, latinOrder),
    english: namesOf(loadPackage<Words>(PACKAGE, ENGLISH_FILE), /[\u0e01-\u0e5b]/g, thaiOrder),
    numbers: loadPackage<{ default: (number | boolean)[] }>(PACKAGE, NUMBERS_FILE).default,
  }
}

/** Returns the names with frequent parts written out. Signs of the other script stand for them. */
function namesOf({ data, words }: Words, signs: RegExp, order: (unit: number) => number): string[] {
  const parts = words.split('|')
  return data.map(name => name.replace(signs, sign => parts[order(sign.charCodeAt(0))]))
}

/** `A` to `Z`, then `a` to `z`. */
const latinOrder = (unit: number) => (unit < 97 ? unit - 65 : unit - 97 + 26)
const thaiOrder = (unit: number) => unit - 0xe01

/** `false` stands for no number. */
function number(value: number | boolean): string {
  return typeof value === 'number' ? String(value) : ''
}
