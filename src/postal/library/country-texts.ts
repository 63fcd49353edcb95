/** Finds countries by two letters, three letters or a name. */
import { countrySlotOf } from '../index/country-table.ts'
import { cityKey } from '../text/city.ts'
import { SYNONYMS } from '../text/country-synonyms.ts'

/** Three letters, then the two letters of each country. */
const LETTERS = `
  ABWAW AFGAF AGOAO AIAAI ALAAX ALBAL ANDAD AREAE ARGAR ARMAM ASMAS ATAAQ ATFTF ATGAG AUSAU AUTAT AZEAZ BDIBI BELBE BENBJ BESBQ
  BFABF BGDBD BGRBG BHRBH BHSBS BIHBA BLMBL BLRBY BLZBZ BMUBM BOLBO BRABR BRBBB BRNBN BTNBT BVTBV BWABW CAFCF CANCA CCKCC CHECH
  CHLCL CHNCN CIVCI CMRCM CODCD COGCG COKCK COLCO COMKM CPVCV CRICR CUBCU CUWCW CXRCX CYMKY CYPCY CZECZ DEUDE DJIDJ DMADM DNKDK
  DOMDO DZADZ ECUEC EGYEG ERIER ESHEH ESPES ESTEE ETHET FINFI FJIFJ FLKFK FRAFR FROFO FSMFM GABGA GBRGB GEOGE GGYGG GHAGH GIBGI
  GINGN GLPGP GMBGM GNBGW GNQGQ GRCGR GRDGD GRLGL GTMGT GUFGF GUMGU GUYGY HKGHK HMDHM HNDHN HRVHR HTIHT HUNHU IDNID IMNIM INDIN
  IOTIO IRLIE IRNIR IRQIQ ISLIS ISRIL ITAIT JAMJM JEYJE JORJO JPNJP KAZKZ KENKE KGZKG KHMKH KIRKI KNAKN KORKR KWTKW LAOLA LBNLB
  LBRLR LBYLY LCALC LIELI LKALK LSOLS LTULT LUXLU LVALV MACMO MAFMF MARMA MCOMC MDAMD MDGMG MDVMV MEXMX MHLMH MKDMK MLIML MLTMT
  MMRMM MNEME MNGMN MNPMP MOZMZ MRTMR MSRMS MTQMQ MUSMU MWIMW MYSMY MYTYT NAMNA NCLNC NERNE NFKNF NGANG NICNI NIUNU NLDNL NORNO
  NPLNP NRUNR NZLNZ OMNOM PAKPK PANPA PCNPN PERPE PHLPH PLWPW PNGPG POLPL PRIPR PRKKP PRTPT PRYPY PSEPS PYFPF QATQA REURE ROURO
  RUSRU RWARW SAUSA SDNSD SENSN SGPSG SGSGS SHNSH SJMSJ SLBSB SLESL SLVSV SMRSM SOMSO SPMPM SRBRS SSDSS STPST SURSR SVKSK SVNSI
  SWESE SWZSZ SXMSX SYCSC SYRSY TCATC TCDTD TGOTG THATH TJKTJ TKLTK TKMTM TLSTL TONTO TTOTT TUNTN TURTR TUVTV TWNTW TZATZ UGAUG
  UKRUA UMIUM URYUY USAUS UZBUZ VATVA VCTVC VENVE VGBVG VIRVI VNMVN VUTVU WLFWF WSMWS XKXXK YEMYE ZAFZA ZMBZM ZWEZW`

/** Languages of accepted names, by ICU. English is last, and wins. */
const LANGUAGES =
  'ar az be bg bn bs ca cs cy da de el es et eu fa fi fr ga gl he hi hr hu hy id is it ja ka kk km ko ' +
  'ky lo lt lv mk mn ms my nb ne nl pl pt ro ru si sk sl sq sr sv ta th tr uk ur uz vi zh en'

/** Further names and codes. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  AE: ['UAE', 'Emirates'],
  CD: ['DR Congo'],
  CI: ['Ivory Coast'],
  CZ: ['Czech Republic'],
  FK: ['Malvinas'],
  GB: ['Great Britain', 'Britain', 'England', 'Scotland', 'Wales', 'Northern Ireland'],
  GR: ['Hellas'],
  HK: ['Hong Kong'],
  IE: ['Republic of Ireland'],
  IR: ['Persia'],
  KR: ['Republic of Korea'],
  LK: ['Ceylon'],
  MK: ['Macedonia'],
  MM: ['Burma'],
  MO: ['Macau'],
  NL: ['Holland'],
  NZ: ['Aotearoa'],
  PS: ['Palestine'],
  RU: ['Russian Federation'],
  SZ: ['Swaziland'],
  TL: ['East Timor'],
  TR: ['Turkey'],
  US: ['America', 'United States of America'],
  VA: ['Vatican', 'Holy See'],
  VN: ['Viet Nam'],
}

/** Countries of synonyms, by the slot of their letters. */
const synonyms: string[] = []
for (const [text, cc] of Object.entries(SYNONYMS)) synonyms[countrySlotOf(text)] = cc

let texts: Map<string, string> | undefined

/** Returns the two letters of a country; an unknown text unchanged. */
export function countryLetters(text: string): string {
  if (text === '') return ''
  const slot = countrySlotOf(text)
  if (slot >= 0) return synonyms[slot] ?? text
  const plain = text.replaceAll('.', '').replace(/^the /i, '')
  if (plain.length === 2 && plain !== text) return countryLetters(plain)
  return countryTexts().get(cityKey(plain)) ?? text
}

/** Returns the two letters of countries by the `cityKey` of their names. The first call takes 0.1 s. */
export function countryTexts(): ReadonlyMap<string, string> {
  texts ??= readTexts()
  return texts
}

function readTexts(): Map<string, string> {
  const pairs = LETTERS.trim().split(/\s+/)
  const codes = pairs.map(pair => [cityKey(pair.slice(0, 3)), pair.slice(3)] as const)
  const languages = LANGUAGES.split(' ').map(language => new Intl.DisplayNames(language, { type: 'region' }))
  const names = languages.flatMap(language =>
    codes.map(([, cc]) => [cityKey(language.of(cc) ?? ''), cc] as const),
  )
  const others = Object.entries(NAMES).flatMap(([cc, texts]) =>
    texts.map(text => [cityKey(text), cc] as const),
  )
  const synonyms = Object.entries(SYNONYMS).map(([text, cc]) => [cityKey(text), cc] as const)
  return new Map([...names, ...others, ...codes, ...synonyms])
}
