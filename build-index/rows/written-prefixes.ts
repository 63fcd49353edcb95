/** Letters that people write before the codes of a country, and that are not part of the code: `LV-1001`, `D-10115`. */
import { parentOf } from './postal-unions.ts'

/**
 * Letters besides the ISO code, or before it where it is named here too. In Europe they are the signs of motor vehicles. Its posts asked for
 * them on letters from abroad until the ISO codes took their place, and they are still printed everywhere.
 * Argentina's are its provinces' in ISO 3166-2: the first letter of a full code (`C1425DKF`), but the data has only
 * its four digits.
 */
const FURTHER: Readonly<Record<string, string>> = {
  AR: 'A B C D E F G H J K L M N P Q R S T U V W X Y Z',
  AT: 'A',
  BE: 'B',
  DE: 'D',
  EE: 'EST',
  ES: 'E',
  FI: 'FIN',
  FR: 'F',
  GR: 'EL',
  HU: 'H',
  IT: 'I',
  LI: 'FL',
  LU: 'L LU',
  NO: 'N',
  PT: 'P',
  SE: 'S',
  SI: 'SLO',
  SM: 'RSM',
  VA: 'V',
}

/** The words for *postal code* that people write before one, and those who do. Dots between the letters are left out. */
const WORDS: Readonly<Record<string, string>> = {
  CAP: 'IT SM VA',
  CEP: 'BR',
  CP: 'AR BE BL CL CO CR CU DO DZ EC ES FR GF GP GT HN HT LU MA MC MF MQ MX NC NI PA PE PF PM PT PY RE SN SV TN UY VE WF YT',
  PIN: 'IN',
  PLZ: 'AT CH DE LI',
  ZIP: 'AS FM GU MH MP PH PR PW US VI',
}

/** Prefixes of `country`, its ISO code first unless its post has a letter of its own; a part of another's post has those too. */
export function prefixesOf(country: string): string[] {
  const parent = parentOf(country)
  return [...new Set([...own(country), ...(parent === undefined ? [] : own(parent))])]
}

function own(country: string): string[] {
  const further = FURTHER[country]?.split(' ') ?? []
  const words = Object.keys(WORDS).filter(word => WORDS[word].split(' ').includes(country))
  return [...(further.includes(country) ? further : [country, ...further]), ...words]
}
