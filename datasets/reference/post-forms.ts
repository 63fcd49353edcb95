/** Forms in which posts write codes, with or without data here. */
import type { PackedPost } from '../../src/postal/format/meta.ts'
import { SHAPE_PATTERNS } from '../../src/postal/text/mask.ts'
import { codeForms, seamsOf } from './code-shapes.ts'
import { formsWithFirstPart } from './first-parts.ts'

/**
 * Forms that libaddressinput lacks or has wrong, with an example and the publisher. The codes of LY, MW, PS, SS, TL,
 * TT and WS are published without an example.
 */
const OTHER_FORMS: Readonly<Record<string, readonly [pattern: string, example: string, origin: string]>> = {
  AZ: ['(?:AZ ?)?\\d{4}', 'AZ 1000', 'Azerpoçt'],
  BH: ['(?:1[0-2]|[1-9])\\d{2}', '317', 'Bahrain Post: the number of the block'],
  CR: ['\\d{5}', '10101', 'Correos de Costa Rica'],
  GH: ['[A-Z][A-Z0-9]-?\\d{3,4}-?\\d{4}', 'GA-183-8164', 'GhanaPostGPS, a digital address; Ghana Post'],
  GL: ['39\\d{2}|2412', '3900', '2412 is that of Santa Claus; Tusass'],
  GU: ['969(?:[12]\\d|3[0-2])(?:[ \\-]\\d{4})?', '96910', 'USPS'],
  HT: ['(?:HT ?)?\\d{4}', 'HT6110', 'Universal Postal Union'],
  IE: [
    '(?:[AC-FHKNPRTV-Y]\\d{2}|D6W) ?(?!\\d{4})[\\dAC-FHKNPRTV-Y]{4}',
    'A65 F4E2',
    'letters of the Product Guide, never only digits; Eircode',
  ],
  JM: ['\\d{1,2}', '10', 'for Kingston alone; Jamaica Post'],
  KN: ['KN ?\\d{4}', 'KN0101', 'Universal Postal Union'],
  LC: ['LC\\d{2} ? ?\\d{3}', 'LC04 101', 'Saint Lucia Postal Service'],
  LT: ['(?:LT-?)?\\d{5}', 'LT-01001', 'Lietuvos paštas'],
  LY: ['\\d{5}', '12345', 'Universal Postal Union'],
  MS: ['MSR ?\\d{4}', 'MSR 1110', 'Universal Postal Union'],
  MW: ['\\d{6}', '123456', 'Malawi Posts'],
  NR: ['NRU68', 'NRU68', 'of the whole island; Universal Postal Union'],
  NU: ['9974', '9974', 'of the whole island; Universal Postal Union'],
  PA: ['\\d{4}', '0801', 'Correos de Panama'],
  PE: ['\\d{5}', '15001', 'since 2011; Serpost'],
  PS: ['P\\d{7}', 'P1234567', 'Palestine Post'],
  RE: ['97[47]\\d{2}', '97400', '977 for large customers; La Poste'],
  RS: ['\\d{5,6}', '11000', 'five digits; six of them tell the street; Pošta Srbije'],
  SH: ['(?:ASCN|STHL|TDCU) ?1ZZ', 'STHL 1ZZ', 'Universal Postal Union'],
  SS: ['\\d{5}', '12345', 'Universal Postal Union'],
  SV: ['(?:CP )?\\d{4}', 'CP 1101', 'Correos de El Salvador'],
  TL: ['TL ?\\d{5}', 'TL12345', 'Universal Postal Union'],
  TT: ['\\d{6}', '123456', 'since 2012; TTPost'],
  WS: ['WS ?\\d{4}', 'WS1234', 'Samoa Post'],
  XK: ['\\d{5}', '10000', 'since 2004; Post of Kosovo'],
}

/** Names of codes other than `Postal code`, as posts print them. */
const NAMES: Readonly<Record<string, string>> = {
  'ZIP code': 'US AS FM GU MH MP PH PR PW UM VI',
  PIN: 'IN',
  CEP: 'BR',
  CPA: 'AR',
  Eircode: 'IE',
  Postcode: 'GB GG IM JE AU CC CX HM NF BE NL NZ MY FK GI GS IO PN SH TC',
  Postleitzahl: 'DE AT CH LI',
  'Code postal': 'FR BL GF GP MC MF MQ NC PF PM RE WF YT LU DZ MA TN SN HT',
  'Código postal': 'ES MX CO CL EC GT CR CU DO HN NI PA PE PY SV UY VE PT CV MZ',
  CAP: 'IT SM VA',
  Postnummer: 'SE DK GL NO SJ AX',
  Postinumero: 'FI',
  'Kod pocztowy': 'PL',
  PSČ: 'CZ SK',
  'Cod poștal': 'RO MD',
  'Poštanski broj': 'HR RS BA ME',
  'Poštna številka': 'SI',
  Irányítószám: 'HU',
  'Posta kodu': 'TR',
  'Kode pos': 'ID',
  'Codi postal': 'AD',
  'Pasta indekss': 'LV',
  'Pašto kodas': 'LT',
  Sihtnumber: 'EE',
  Póstnúmer: 'IS',
  'Пощенски код': 'BG',
  'Почтовый индекс': 'RU BY KZ KG',
  'Поштовий індекс': 'UA',
  'Ταχυδρομικός κώδικας': 'GR CY',
  מיקוד: 'IL',
  รหัสไปรษณีย์: 'TH',
  郵便番号: 'JP',
  우편번호: 'KR',
  邮政编码: 'CN',
  郵遞區號: 'TW',
}

const nameOf = new Map(
  Object.entries(NAMES).flatMap(([name, countries]) => countries.split(' ').map(cc => [cc, name] as const)),
)

/** Returns the forms of a country's codes, and of first parts; undefined if its post has none. */
export function postForm(country: string): PackedPost | undefined {
  const other = OTHER_FORMS[country]
  const known = codeForms(country)
  if (other === undefined && known === undefined) return undefined
  const patterns = other === undefined ? (known?.patterns ?? []) : [other[0]]
  const examples = other === undefined ? (known?.examples ?? []) : [other[1]]
  const pattern = patterns.join('|')
  const parts = formsWithFirstPart(country).flatMap(form => seamsOf(form).beginnings.map(shapePattern))
  const formats = new Map<string, string>()
  for (const example of examples) {
    const format = formatOf(example, pattern)
    if (!formats.has(format)) formats.set(format, example)
  }
  return {
    name: nameOf.get(country) ?? 'Postal code',
    pattern: `^(?:${pattern})$`,
    keyPattern: [...new Set([withoutSeparators(pattern), ...parts])].join('|'),
    forms: Array.from(formats, ([format, example]) => ({ format, example })).sort(
      (a, b) => fixedSigns(a.format) - fixedSigns(b.format),
    ),
  }
}

/** `GIR 0AA` and the like come last. */
function fixedSigns(format: string): number {
  return format.replace(/[NA]/g, '').length
}

/** Returns `example` with `N` and `A` where `pattern` allows other digits and letters. */
function formatOf(example: string, pattern: string): string {
  const form = new RegExp(`^(?:${pattern})$`)
  return Array.from(example, (sign, at) => {
    const others = /[0-9]/.test(sign) ? '0123456789' : /[A-Z]/.test(sign) ? 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' : ''
    const isFree = Array.from(others).some(
      other => other !== sign && form.test(example.slice(0, at) + other + example.slice(at + 1)),
    )
    return isFree ? (/[0-9]/.test(sign) ? 'N' : 'A') : sign
  }).join('')
}

/** Returns a pattern for codes without spaces and hyphens. */
function withoutSeparators(pattern: string): string {
  return pattern.replace(/\[[^\]]*\]|[ -]\??/g, part => (part.length > 2 && part !== '[ \\-]' ? part : ''))
}

/** Returns a pattern of a shape of `code-shapes.ts`. */
export function shapePattern(shape: string): string {
  return Array.from(shape, letter => SHAPE_PATTERNS[letter]).join('')
}
