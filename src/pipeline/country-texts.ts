/** Countries as people write them in tables: two letters, three, or a name. */
import { cityKey } from '../text/city.ts'

/** The codes of ISO 3166-1, of three letters and of two. */
const CODES = `
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
  UKRUA UMIUM URYUY USAUS UZBUZ VATVA VCTVC VENVE VGBVG VIRVI VNMVN VUTVU WLFWF WSMWS YEMYE ZAFZA ZMBZM ZWEZW`

/** Languages whose names of countries are understood, as ICU has them. */
const LANGUAGES = 'en de fr es it pt nl da sv nb fi pl cs sk hu ro tr el ru uk ja ko zh'.split(' ')

/** Names that are in use beside those. */
const NAMES = `
  CI Ivory Coast
  CZ Czech Republic
  GB Great Britain; England; Scotland; Wales; Northern Ireland
  IE Republic of Ireland
  KR Republic of Korea
  MK Macedonia
  NL Holland
  RU Russian Federation
  TR Turkey
  US United States of America
  VA Vatican
  VN Viet Nam`

let known: Map<string, string> | undefined

/** Two letters for a text that names a country; the text itself where nobody knows it. */
export function countryOf(text: string): string {
  if (/^[A-Za-z]{2}$/.test(text) || text === '') return text
  known ??= knownTexts()
  const plain = text.replaceAll('.', '').replace(/^the /i, '')
  return /^[A-Za-z]{2}$/.test(plain) ? plain : (known.get(cityKey(plain)) ?? text)
}

function knownTexts(): Map<string, string> {
  const pairs = CODES.trim().split(/\s+/)
  const codes = pairs.map(pair => [cityKey(pair.slice(0, 3)), pair.slice(3)] as const)
  const languages = LANGUAGES.map(language => new Intl.DisplayNames(language, { type: 'region' }))
  const names = languages.flatMap(language =>
    codes.map(([, cc]) => [cityKey(language.of(cc) ?? ''), cc] as const),
  )
  const others = NAMES.trim()
    .split('\n')
    .map(line => line.trim())
    .flatMap(line =>
      line
        .slice(3)
        .split('; ')
        .map(name => [cityKey(name), line.slice(0, 2)] as const),
    )
  return new Map([...names, ...others, ...codes])
}
