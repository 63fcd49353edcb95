/** Letters written before a code that are not part of it: `LV-1001`, `D-10115`. */
import { parentOf } from './postal-unions.ts'

/**
 * Letters besides the ISO code. European posts asked for vehicle signs before ISO codes, and they are still printed.
 * In Argentina a full code begins with the letter of the province (`C1425DKF`), but sources have only its digits.
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
  LU: 'L',
  NO: 'N',
  PT: 'P',
  SE: 'S',
  SI: 'SLO',
  SM: 'RSM',
  VA: 'V',
}

/** Words for *postal code* before a code, by the countries that use them; without dots. */
const WORDS: Readonly<Record<string, string>> = {
  CAP: 'IT SM VA',
  CEP: 'BR',
  CP: 'AR BE BL CL CO CR CU DO DZ EC ES FR GF GP GT HN HT LU MA MC MF MQ MX NC NI PA PE PF PM PT PY RE SN SV TN UY VE WF YT',
  PIN: 'IN',
  PLZ: 'AT CH DE LI',
  ZIP: 'AS FM GU MH MP PH PR PW US VI',
}

/** Returns the prefixes of `country` and of the post that serves it, the ISO code or its substitute first. */
export function prefixesOf(country: string): string[] {
  const parent = parentOf(country)
  return [...new Set([...lettersOf(country), ...(parent === undefined ? [] : lettersOf(parent))])]
}

function lettersOf(country: string): string[] {
  const further = FURTHER[country]?.split(' ') ?? []
  // The first prefix is the usual one: people write `L-` in Luxembourg, not `LU-`.
  const letters = country === 'LU' ? [...further, country] : [country, ...further]
  const words = Object.keys(WORDS).filter(word => WORDS[word].split(' ').includes(country))
  return [...letters, ...words]
}
