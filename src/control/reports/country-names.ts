/**
 * What people call a country when they search for it: ISO 3166-1 codes of two and three letters, other codes in use, names
 * in its own languages (Unicode CLDR) and former or common names. English names are `countryName`.
 */
const ROWS = `
AD|AND
AE|ARE|الإمارات العربية المتحدة|UAE|Emirates
AF|AFG|افغانستان
AG|ATG
AI|AIA
AL|ALB|Shqipëri
AM|ARM|Հայաստան
AO|AGO
AQ|ATA
AR|ARG
AS|ASM
AT|AUT|Österreich
AU|AUS
AW|ABW
AX|ALA|Åland
AZ|AZE|Azərbaycan
BA|BIH|Bosna i Hercegovina|Босна и Херцеговина|Bosnia
BB|BRB
BD|BGD|বাংলাদেশ
BE|BEL|België|Belgique|Belgien
BF|BFA
BG|BGR|България
BH|BHR|البحرين
BI|BDI|Uburundi
BJ|BEN
BL|BLM|Saint-Barthélemy
BM|BMU
BN|BRN|Brunei Darussalam
BO|BOL
BQ|BES
BR|BRA|Brasil
BS|BHS
BT|BTN|འབྲུག
BV|BVT|Bouvetøya
BW|BWA
BY|BLR|Беларусь
BZ|BLZ
CA|CAN
CC|CCK|Kepulauan Cocos (Keeling)
CD|COD|Congo-Kinshasa|DR Congo
CF|CAF|Ködörösêse tî Bêafrîka
CG|COG|Congo-Brazzaville
CH|CHE|Schweiz|Suisse|Svizzera|Svizra
CI|CIV|Ivory Coast
CK|COK
CL|CHL
CM|CMR|Cameroun
CN|CHN|中国|PRC
CO|COL
CR|CRI
CU|CUB
CV|CPV|Cabo Verde
CW|CUW
CX|CXR
CY|CYP|Κύπρος|Kıbrıs
CZ|CZE|Česko|Czech Republic
DE|DEU|Deutschland|BRD
DJ|DJI
DK|DNK|Danmark
DM|DMA
DO|DOM|República Dominicana
DZ|DZA|الجزائر|Algérie
EC|ECU
EE|EST|Eesti
EG|EGY|مصر
EH|ESH|الصحراء الغربية
ER|ERI|ኤርትራ
ES|ESP|España|Espanya|Espainia
ET|ETH|ኢትዮጵያ
FI|FIN|Suomi
FJ|FJI
FK|FLK|Malvinas
FM|FSM
FO|FRO|Føroyar|Færøerne
FR|FRA
GA|GAB
GB|GBR|UK|Y Deyrnas Unedig|An Rìoghachd Aonaichte|Great Britain|Britain|England|Scotland|Wales|Northern Ireland
GD|GRD
GE|GEO|საქართველო
GF|GUF|Guyane française
GG|GGY
GH|GHA|Gaana
GI|GIB
GL|GRL|Kalaallit Nunaat|Grønland
GM|GMB
GN|GIN|Guinée
GP|GLP
GQ|GNQ|Guinea Ecuatorial
GR|GRC|EL|Ελλάδα|Hellas
GS|SGS
GT|GTM
GU|GUM
GW|GNB|Guiné-Bissau
GY|GUY
HK|HKG|中國香港特別行政區|Hong Kong
HM|HMD
HN|HND
HR|HRV|Hrvatska
HT|HTI
HU|HUN|Magyarország
ID|IDN
IE|IRL|Éire
IL|ISR|ישראל|إسرائيل
IM|IMN
IN|IND|भारत|இந்தியா|భారతదేశం|ভারত|ભારત
IO|IOT
IQ|IRQ|العراق
IR|IRN|ایران|Persia
IS|ISL|Ísland
IT|ITA|Italia
JE|JEY
JM|JAM
JO|JOR|الأردن
JP|JPN|日本
KE|KEN
KG|KGZ|Кыргызстан|Киргизия
KH|KHM|កម្ពុជា
KI|KIR
KM|COM|جزر القمر
KN|KNA
KP|PRK|북한
KR|KOR|대한민국|Republic of Korea
KW|KWT|الكويت
KY|CYM
KZ|KAZ|Қазақстан|Казахстан
LA|LAO|ລາວ|Lao
LB|LBN|لبنان
LC|LCA
LI|LIE
LK|LKA|ශ්‍රී ලංකාව|இலங்கை|Ceylon
LR|LBR
LS|LSO
LT|LTU|Lietuva
LU|LUX|Luxemburg|Lëtzebuerg
LV|LVA|Latvija
LY|LBY|ليبيا
MA|MAR|المغرب|Maroc
MC|MCO
MD|MDA|Republica Moldova|Republic of Moldova
ME|MNE|Црна Гора|Crna Gora
MF|MAF|Saint-Martin
MG|MDG|Madagasikara
MH|MHL
MK|MKD|Северна Македонија|Macedonia
ML|MLI
MM|MMR|မြန်မာ|Burma
MN|MNG|Монгол
MO|MAC|中國澳門特別行政區|Macau, RAE da China|Macau
MP|MNP
MQ|MTQ
MR|MRT|موريتانيا
MS|MSR
MT|MLT
MU|MUS|Maurice
MV|MDV
MW|MWI
MX|MEX
MY|MYS
MZ|MOZ|Moçambique
NA|NAM|Namibië
NC|NCL|Nouvelle-Calédonie
NE|NER|Nijar
NF|NFK
NG|NGA
NI|NIC
NL|NLD|Nederland|Holland
NO|NOR|Norge|Noreg
NP|NPL|नेपाल
NR|NRU
NU|NIU
NZ|NZL|Aotearoa
OM|OMN|عُمان
PA|PAN
PE|PER
PF|PYF|Polynésie française
PG|PNG
PH|PHL|Pilipinas
PK|PAK|پاکستان
PL|POL|Polska
PM|SPM|Saint-Pierre-et-Miquelon
PN|PCN
PR|PRI
PS|PSE|الأراضي الفلسطينية|Palestine
PT|PRT
PW|PLW
PY|PRY
QA|QAT|قطر
RE|REU|La Réunion
RO|ROU
RS|SRB|Србија|Srbija
RU|RUS|Россия|Russian Federation
RW|RWA|U Rwanda
SA|SAU|المملكة العربية السعودية
SB|SLB
SC|SYC
SD|SDN|السودان
SE|SWE|Sverige
SG|SGP|Singapura|新加坡|சிங்கப்பூர்
SH|SHN
SI|SVN|Slovenija
SJ|SJM|Svalbard og Jan Mayen
SK|SVK|Slovensko
SL|SLE
SM|SMR
SN|SEN|Senegaal
SO|SOM|Soomaaliya
SR|SUR
SS|SSD|جنوب السودان
ST|STP|São Tomé e Príncipe
SV|SLV
SX|SXM
SY|SYR|سوريا|Syrian Arab Republic
SZ|SWZ|Swaziland
TC|TCA
TD|TCD|تشاد
TF|ATF|Terres australes françaises
TG|TGO
TH|THA|ไทย
TJ|TJK|Тоҷикистон
TK|TKL
TL|TLS|East Timor
TM|TKM
TN|TUN|تونس|Tunisie
TO|TON
TR|TUR|Turkey
TT|TTO
TV|TUV
TW|TWN|台灣|Formosa
TZ|TZA|United Republic of Tanzania
UA|UKR|Україна|Украина
UG|UGA
UM|UMI
US|USA|USA|America|United States of America
UY|URY
UZ|UZB|Oʻzbekiston
VA|VAT|Città del Vaticano|Holy See
VC|VCT
VE|VEN
VG|VGB
VI|VIR
VN|VNM|Viet Nam
VU|VUT
WF|WLF|Wallis-et-Futuna
WS|WSM
XK|XKX|XKS|XKK|Kosovë|Косово|XKX
YE|YEM|اليمن
YT|MYT
ZA|ZAF|Suid-Afrika|iNingizimu Afrika|EMzantsi Afrika
ZM|ZMB
ZW|ZWE
`

/** Codes and names of a country, by its code of two letters. */
export const COUNTRY_NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  ROWS.trim()
    .split('\n')
    .map(row => row.split('|'))
    .map(names => [names[0] ?? '', names]),
)
