import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import { absentCodes, sampleCodes } from '../../../bench/input/samples.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { openIndex } from '../../../src/postal/index/open-index.ts'
import { openIndex as openPostal } from '../../../src/postal/library/node.ts'
import { PostrieClient } from '../../../src/programs/client/client.ts'
import { runCheck } from '../../../src/programs/pipeline/check.ts'
import { indexChecker } from '../../../src/programs/pipeline/check-index.ts'
import { serviceChecker } from '../../../src/programs/pipeline/check-service.ts'
import { csvField } from '../../../src/programs/pipeline/csv-reader.ts'
import { formatOf, peek } from '../../../src/programs/pipeline/input.ts'
import { type CheckRequest, PLACE_FIELDS } from '../../../src/programs/pipeline/plan.ts'
import { summaryOf } from '../../../src/programs/pipeline/summary.ts'
import { startApp } from '../../support/app.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'
import { writeIndex } from '../../support/fixture-index.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { checkerOf, REQUEST, type TestChecker } from './support.ts'

interface Case {
  name: string
  input: string | Uint8Array
  request?: Partial<CheckRequest>
  encoding?: string
  expected: string
  /** A service cannot add zeros. */
  isLocal?: true
}

const US = { country: 'US' }
/** Rows of the check whose balance ends. */
const ROWS = 30_000
const HEAD = 'zip,valid,normalized,reason,detail\n'

const CASES: readonly Case[] = [
  {
    name: 'countries and reasons',
    input:
      'id,Postal Code,Country\n1,90210,US\n2,sw1a 1aa,UK\n3,00000,US\n4,é,us\n5,1,ZZ\n6,1,USA\n7,90210,\n8,1,Vietnam\n9,90210,"Korea, Republic of"\n10,90210,840\n',
    expected:
      'id,Postal Code,Country,valid,normalized,reason,detail\n1,90210,US,true,90210,,\n2,sw1a 1aa,UK,true,SW1A,,\n' +
      '3,00000,US,false,,not_found,\n4,é,us,false,,invalid_format,wrong_format\n5,1,ZZ,false,,unreadable_country,\n' +
      '6,1,USA,false,,not_found,wrong_format\n7,90210,,false,,unreadable_country,\n' +
      '8,1,Vietnam,false,,unknown_country,\n9,90210,"Korea, Republic of",false,,unknown_country,\n10,90210,840,true,90210,,\n',
  },
  {
    name: 'common names of columns and countries',
    input:
      'Shipping Zip/Postal Code,Shipping Country\n90210,United States\n90210,U.S.\n80331,the federal republic\n90210,usa\nsw1a 1aa,United Kingdom\nsw1a 1aa,Vereinigtes Königreich\n' +
      'SW1A,England\n90210,États-Unis\n90210,アメリカ合衆国\n90210,美国\n90210,Atlantis\n',
    expected:
      'Shipping Zip/Postal Code,Shipping Country,valid,normalized,reason,detail\n90210,United States,true,90210,,\n90210,U.S.,true,90210,,\n80331,the federal republic,false,,unreadable_country,\n90210,usa,true,90210,,\n' +
      'sw1a 1aa,United Kingdom,true,SW1A,,\nsw1a 1aa,Vereinigtes Königreich,true,SW1A,,\nSW1A,England,true,SW1A,,\n' +
      '90210,États-Unis,true,90210,,\n90210,アメリカ合衆国,true,90210,,\n90210,美国,true,90210,,\n90210,Atlantis,false,,unreadable_country,\n',
  },
  {
    name: 'a line of a spreadsheet with the delimiter',
    input: 'SEP=;\r\nzip,x;cc\r\n90210;US\r\n',
    request: { code: 'zip,x' },
    expected: 'zip,x;cc;valid;normalized;reason;detail\r\n90210;US;true;90210;;\r\n',
  },
  {
    name: 'a country for records without one',
    input: 'zip,cc\n90210,\n80331, de \n',
    request: US,
    expected: 'zip,cc,valid,normalized,reason,detail\n90210,,true,90210,,\n80331, de ,true,80331,,\n',
  },
  { name: 'no last line end', input: 'zip\n90210', request: US, expected: `${HEAD}90210,true,90210,,\n` },
  {
    name: 'blank lines',
    input: '\n\r\nzip\n90210\n',
    request: US,
    expected: `${HEAD}90210,true,90210,,\n`,
  },
  {
    name: 'lines of blanks',
    input: 'zip,cc\n  \n \t\r\n90210,US\n \t',
    expected: 'zip,cc,valid,normalized,reason,detail\n90210,US,true,90210,,\n',
  },
  {
    name: 'decimal numbers of a spreadsheet, whose point is no separator',
    input: 'zip,cc\n90210.0,US\n9021.0,US\n"62701.0",US\n',
    expected:
      'zip,cc,valid,normalized,reason,detail\n90210.0,US,true,90210,,\n9021.0,US,false,,not_found,wrong_format\n"62701.0",US,true,62701,,\n',
  },
  {
    name: 'decimal numbers without their zeros',
    input: 'zip,cc\n1101.0,US\n1101,US\n90210.0,US\n',
    request: { padDigits: true },
    isLocal: true,
    expected:
      'zip,cc,valid,normalized,reason,detail\n1101.0,US,true,01101,,\n1101,US,true,01101,,\n90210.0,US,true,90210,,\n',
  },
  {
    name: 'numbers of JSON, which have no zeros',
    input: '{"zip":1101,"country":"US"}\n{"zip":"1101","country":"US"}\n',
    request: { from: 'ndjson', to: 'ndjson' },
    isLocal: true,
    expected:
      '{"zip":1101,"country":"US","valid":true,"normalized":"01101","reason":null}\n' +
      '{"zip":"1101","country":"US","valid":false,"normalized":null,"reason":"not_found","detail":"wrong_format"}\n',
  },
  {
    name: 'malformed records that are kept',
    input: Buffer.from(
      'id,zip,cc\n1,90210,US\n2,"9"0,US\n3,90210\n4,M\xfc,US\n5,62701,US,x\n6,62701,US\n',
      'latin1',
    ),
    request: { malformed: 'keep' },
    expected:
      'id,zip,cc,valid,normalized,reason,detail\n1,90210,US,true,90210,,\n,"2,""9""0,US",,false,,malformed,\n' +
      ',"3,90210",,false,,malformed,\n,"4,Mü,US",,false,,malformed,\n,"5,62701,US,x",,false,,malformed,\n6,62701,US,true,62701,,\n',
  },
  {
    name: 'malformed records that are left out',
    input: 'zip,cc\n90210,US,x\n90210,US\n',
    request: { malformed: 'skip' },
    expected: 'zip,cc,valid,normalized,reason,detail\n90210,US,true,90210,,\n',
  },
  {
    name: 'malformed lines of NDJSON that are kept',
    input: Buffer.from(
      '{"zip":"90210","country":"US"}\n[1]\n{"zip":\n{"zip":"\xfc"}\n{"zip":"90210","country":"US"}\n',
      'latin1',
    ),
    request: { from: 'ndjson', to: 'ndjson', malformed: 'keep' },
    expected:
      '{"zip":"90210","country":"US","valid":true,"normalized":"90210","reason":null}\n' +
      ['[1]', '{\\"zip\\":', '{\\"zip\\":\\"ü\\"}']
        .map(text => `{"zip":"${text}","valid":false,"normalized":null,"reason":"malformed"}\n`)
        .join('') +
      '{"zip":"90210","country":"US","valid":true,"normalized":"90210","reason":null}\n',
  },
  { name: 'a header alone', input: 'zip\n', request: US, expected: HEAD },
  {
    name: 'an empty code',
    input: 'zip,cc\n,US\n,\n,ZZ\n,AQ\n" ",ZZ\n',
    request: US,
    expected:
      'zip,cc,valid,normalized,reason,detail\n,US,false,,invalid_format,wrong_format\n,,false,,invalid_format,wrong_format\n' +
      ',ZZ,false,,unreadable_country,\n,AQ,false,,unknown_country,\n" ",ZZ,false,,unreadable_country,\n',
  },
  {
    name: 'quoted fields with delimiters, quotes and lines',
    input: 'name,zip\n"A, ""B""\r\nC","90210"\n"","90""210"\nx"y,90210\n',
    request: US,
    expected:
      'name,zip,valid,normalized,reason,detail\n"A, ""B""\r\nC","90210",true,90210,,\n"","90""210",true,90210,,\n' +
      'x"y,90210,true,90210,,\n',
  },
  {
    name: 'semicolons',
    input: 'a;zip\n1,5;90210\n',
    request: US,
    expected: 'a;zip;valid;normalized;reason;detail\n1,5;90210;true;90210;;\n',
  },
  {
    name: 'a byte order mark stays, so that a spreadsheet recognises the encoding',
    input: '\ufeff"zip";"Ort"\r\n"90210";"München"\r\n',
    request: US,
    expected: '\ufeffzip;Ort;valid;normalized;reason;detail\r\n"90210";"München";true;90210;;\r\n',
  },
  {
    name: 'a byte order mark is dropped in NDJSON',
    input: '\ufeffzip\n90210\n',
    request: { ...US, to: 'ndjson' },
    expected: '{"zip":"90210","valid":true,"normalized":"90210","reason":null}\n',
  },
  {
    name: 'UTF-16 with a byte order mark',
    input: Buffer.from('\ufeffzip,n\n90210,é\n', 'utf16le'),
    request: US,
    expected: '\ufeffzip,n,valid,normalized,reason,detail\n90210,é,true,90210,,\n',
  },
  {
    name: 'another encoding by its name',
    input: Buffer.from('zip,n\n90210,M\xfcnchen \x80\n', 'latin1'),
    request: US,
    encoding: 'windows-1252',
    expected: 'zip,n,valid,normalized,reason,detail\n90210,München €,true,90210,,\n',
  },
  {
    name: 'ragged records, if allowed',
    input: 'a,zip,b\n1,90210\n1\n',
    request: { ...US, ragged: true },
    expected:
      'a,zip,b,valid,normalized,reason,detail\n1,90210,,true,90210,,\n1,,,false,,invalid_format,wrong_format\n',
  },
  {
    name: 'a prefix',
    input: 'zip,valid\n90210,yes\n',
    request: { ...US, prefix: 'pc_' },
    expected: 'zip,valid,pc_valid,pc_normalized,pc_reason,pc_detail\n90210,yes,true,90210,,\n',
  },
  {
    name: 'lost zeros',
    input: 'zip\n2139\n2139-1234\n',
    request: { ...US, padDigits: true },
    expected: `${HEAD}2139,true,02139,,\n2139-1234,false,,not_found,wrong_format\n`,
    isLocal: true,
  },
  {
    name: 'fields of the place',
    input: 'zip,cc\n90210,US\n80331,DE\n1001,LV\n0,US\n',
    request: { fields: PLACE_FIELDS },
    expected:
      'zip,cc,valid,normalized,reason,detail,city,state,ST,county,latitude,longitude,accuracy,timezone,elevation,countyFips,population,kind\n' +
      '90210,US,true,90210,,,Beverly Hills,California,CA,Los Angeles,34.0901,-118.4065,code,America/Los_Angeles,71,,,\n' +
      '80331,DE,true,80331,,,München,Bayern,BY,,48.1345,11.571,place,,,,1260391,\n' +
      '1001,LV,true,LV-1001,,,Rīga,,,,,,,,,,,\n0,US,false,,not_found,wrong_format,,,,,,,,,,,,\n',
  },
  {
    name: 'NDJSON to NDJSON with unchanged lines',
    input: '{"zip":"90210","n":12345678901234567890}\n\n {"zip":90211 } \n{"zip":null,"a":{"b":[1]}}\n{}',
    request: { ...US, from: 'ndjson', to: 'ndjson', code: 'zip' },
    expected:
      '{"zip":"90210","n":12345678901234567890,"valid":true,"normalized":"90210","reason":null}\n' +
      '{"zip":90211,"valid":true,"normalized":"90211","reason":null}\n' +
      '{"zip":null,"a":{"b":[1]},"valid":false,"normalized":null,"reason":"invalid_format","detail":"wrong_format"}\n' +
      '{"valid":false,"normalized":null,"reason":"invalid_format","detail":"wrong_format"}\n',
  },
  {
    name: 'city and state beside the code, with the right value',
    input:
      'zip,cc,City,State\n90210,US,beverly hills,CA\n90210,US,Beverly Hils,Bayern\n80331,de,Chicago,\n0,US,Chicago,IL\n' +
      '1,xx,Riga,\n1,Nowhere,Riga,\n',
    request: { verify: true },
    expected:
      'zip,cc,City,State,valid,normalized,reason,detail,cityVerdict,rightCity,stateVerdict,rightState\n' +
      '90210,US,beverly hills,CA,true,90210,,,match,,match,\n' +
      '90210,US,Beverly Hils,Bayern,true,90210,,,close,Beverly Hills,mismatch,California\n' +
      '80331,de,Chicago,,true,80331,,,mismatch,München,,\n' +
      '0,US,Chicago,IL,false,,not_found,wrong_format,unknown,,unknown,\n' +
      '1,xx,Riga,,false,,unreadable_country,,unknown,,,\n' +
      '1,Nowhere,Riga,,false,,unreadable_country,,unknown,,,\n',
  },
  {
    name: 'a named column of states in NDJSON',
    input: '{"zip":"90210","cc":"US","region":"IL"}\n{"zip":"90210","cc":"US"}\n',
    request: { from: 'ndjson', to: 'ndjson', state: 'region', prefix: 'p_' },
    expected:
      '{"zip":"90210","cc":"US","region":"IL","p_valid":true,"p_normalized":"90210","p_reason":null,' +
      '"p_stateVerdict":"mismatch","p_rightState":"California"}\n' +
      '{"zip":"90210","cc":"US","p_valid":true,"p_normalized":"90210","p_reason":null}\n',
  },
  {
    name: 'CSV to NDJSON',
    input: 'zip,n\n"90210","a ""b"" \\"\n',
    request: { ...US, to: 'ndjson' },
    expected: '{"zip":"90210","n":"a \\"b\\" \\\\","valid":true,"normalized":"90210","reason":null}\n',
  },
  {
    name: 'NDJSON to CSV',
    input: '{"zip":"SW1A 1AA","country":"GB","x":1}\n{"zip":"a,b","country":"GB"}\n',
    request: { from: 'ndjson' },
    expected:
      'zip,country,x,valid,normalized,reason,detail\nSW1A 1AA,GB,1,true,SW1A,,\n"a,b",GB,,false,,invalid_format,wrong_format\n',
  },
]

const REFUSED: readonly [
  name: string,
  input: string | Uint8Array,
  message: RegExp,
  request?: Partial<CheckRequest>,
][] = [
  ['an empty input', '', /the input is empty/],
  ['lines that end in CR', 'zip,cc\r90210,US\r', /lines end in CR alone: expected LF or CR LF/],
  ['UTF-16 unmarked', Buffer.from('zip,cc\n90210,US\n', 'utf16le'), /looks like UTF-16: add --encoding/],
  [
    'no code',
    'name,country\n',
    /no column of "name", "country" looks like a postal code: name it with --code/,
  ],
  ['no country', 'zip\n', /no column of "zip" looks like a country: .*--country-column, or add --country/],
  ['missing', 'zip,cc\n', /the column "plz" must appear once, not 0 times, in "zip", "cc"/, { code: 'plz' }],
  ['a column that is there twice', 'zip,zip,cc\n', /the column "zip" must appear once, not 2 times/],
  ['a result that is there', 'zip,cc,reason\n', /has a column "reason" already: .*--prefix/],
  [
    'no city',
    'zip,cc,x\n1,US,x\n',
    /no column of .* looks like a city or a state: .*--city or --state/,
    { verify: true },
  ],
  ['a missing field', 'zip,cc\n1,US\n2\n', /record 2: it has 1 fields, the header has 2/],
  ['a surplus field', 'zip,cc\n1,US,x\n', /record 1: it has 3 fields, the header has 2/],
  ['text after a quote', 'zip,cc\n1,US\n"2"x,US\n', /record 2: text after a closing quote/],
  ['an unclosed quote', 'zip,cc\n1,US\n"2,US\n', /record 2: a quote is not closed/],
  ['a header with an unclosed quote', '"zip,cc\n', /the header is malformed: a quote is not closed/],
  ['endless quote', `zip,cc\n"${'x'.repeat(5e6)}`, /a record has more than 4194304 bytes: check for a quote/],
  ['an endless line', 'x'.repeat(5e6), /a record has more than 4194304 bytes/],
  [
    'another encoding',
    Buffer.from('zip,cc\n1,US\nM\xfcller,US\n', 'latin1'),
    /record 2: "M\\?.*ller,US" is not UTF-8: name the encoding/,
  ],
  [
    'a header in another encoding',
    Buffer.from('zip,cc,L\xe4nge\n1,US,2\n', 'latin1'),
    /^\S+input: "zip,cc,L.*nge" is not UTF-8: name the encoding/,
  ],
  ['null in NDJSON', 'null\n', /record 1: null is not an object/, { from: 'ndjson', to: 'ndjson' }],
  [
    'text that is not JSON',
    '{"zip":1,"cc":"US"}\n{"zip":\n',
    /record 2: "\{\\"zip\\":" is not JSON/,
    { from: 'ndjson', to: 'ndjson' },
  ],
]

// The tests check hundreds of thousands of records and start many processes.
t.setTimeout(300_000)

const index = writeIndex(temporaryFolder(t))
const checker = checkerOf(t, index)

t.test('the format is guessed from the first character, also if white space comes alone', async t => {
  const pieces = ['\n', '  ', '{"zip":"90210"}\n'].map(text => Buffer.from(text))
  const [start, all] = await peek(Readable.from(pieces))
  t.equal(formatOf(start), 'ndjson')
  t.equal(await text(Readable.from(all)), pieces.join(''))
})

t.test('the index checks every kind of file', async t => {
  for (const { name, input, request, encoding, expected } of CASES)
    t.equal((await checker.check(input, request, encoding)).text, expected, name)
  for (const [name, input, message, request] of REFUSED) {
    await t.rejects(checker.check(input, request), { name: 'InputError', message }, name)
  }
  await t.rejects(checker.check('zip\n', US, 'klingon'), { message: /the encoding klingon is unknown/ })
  const odd = Buffer.from('zip,n\n90210,\x81\n', 'latin1')
  await t.rejects(checker.check(odd, US, 'shift_jis'), { message: /the input is not shift_jis/ })
})

t.test('a compressed file is read, and the first of several columns counts', async t => {
  const input = 'Billing Zip,Shipping Zip,cc\n90210,00000,US\n'
  const expected = 'Billing Zip,Shipping Zip,cc,valid,normalized,reason,detail\n90210,00000,US,true,90210,,\n'
  const { text, notes } = await checker.check(gzipSync(input), {}, undefined, 'input.csv.gz')
  t.equal(text, expected)
  t.same(notes, ['reading the column "Billing Zip", not "Shipping Zip": to change this, use --code'])
  t.same((await checker.check(input, { code: 'Shipping Zip' })).notes, [])
  const cut = gzipSync(input).subarray(0, -9)
  await t.rejects(checker.check(cut, {}, undefined, 'cut.csv.gz'), {
    code: 'Z_BUF_ERROR',
    message: /cut\.csv\.gz cannot be unpacked as gzip/,
  })
})

t.test('columns of one name are told before they become members of one name', async t => {
  const input = 'zip,cc,note,note\n90210,US,a,b\n'
  t.same((await checker.check(input)).notes, [])
  t.match((await checker.check(input, { to: 'ndjson' })).notes, [/^several columns are called "note"/])
})

t.test('a name of no member of the first record is told', async t => {
  const request = { from: 'ndjson', to: 'ndjson', code: 'zipp', countryColumn: 'cc' } as const
  t.same((await checker.check('{"zip":"90210","cc":"US"}\n', request)).notes, [
    'record 1 has no "zipp": check the name',
  ])
})

t.test('the first character tells the format of an input without a name', async t => {
  const lines = '{"zip":"90210","country":"US"}\n'
  for (const input of [lines, ` [${lines}]`, 'zip,country\n90210,US\n'].flatMap(text => [
    text,
    gzipSync(text),
  ]))
    t.equal((await checker.check(input, { from: undefined, to: undefined })).counts.valid, 1)
})

t.test('common names of columns are recognised', async t => {
  const codes =
    'Código Postal/Codigo Postal/PIN/PSČ/Postnummer/Kod pocztowy/郵便番号/우편번호/Zip5/ZIP+4/Zip (Billing)/Eircode'
  const foreign = {
    ja: '郵便番号,国,市区町村,都道府県',
    ru: 'Почтовый индекс,Страна,Город,Область',
    tr: 'Posta Kodu,Ülke,Şehir,İl',
    ko: '우편번호,국가,도시,시도',
    zh: '邮政编码,国家,城市,省份',
    ar: 'الرمز البريدي,الدولة,المدينة,المحافظة',
    hi: 'पिन कोड,देश,शहर,राज्य',
  }
  for (const [language, header] of Object.entries(foreign)) {
    const { text } = await checker.check(`Name,${header}\nx,90210,US,Beverly Hills,CA\n`, { verify: true })
    t.match(text, /true,90210,,,match,,match,\n$/, language)
  }
  const countries = 'Country Name/country_iso/ISO3/País/Nazione/Staat/Ländercode/Country (Ship To)'
  for (const code of codes.split('/'))
    t.equal((await checker.check(`Name,${code},Country\nx,90210,US\n`)).counts.valid, 1, code)
  for (const country of [...countries.split('/'), 'Country/Region'])
    t.equal((await checker.check(`Name,Zip,${country}\nx,90210,US\n`)).counts.valid, 1, country)
  for (const code of ['BillingZip', 'billingpostcode'])
    t.equal((await checker.check(`gzip,${code},Country\nx,90210,US\n`)).counts.valid, 1, code)
  const verified = await checker.check('Capacity,Estate,Zip,Country,shipCity\n7,x,90210,US,Beverly Hills\n', {
    verify: true,
  })
  t.same(verified.notes, [
    'no column of "Capacity", "Estate", "Zip", "Country", "shipCity" looks like a state, so none is compared: name it with --state',
  ])
  t.match(verified.text, /true,90210,,,match,/)
})

t.test('a JSON array has the results of its elements', async t => {
  const request: Partial<CheckRequest> = { ...US, from: 'json', to: undefined, code: 'zip' }
  const array = (text: string) => checker.check(text, request, undefined, 'input.json')
  const elements = [
    '{"zip":"90210","x":["[,]",{"y":"\\"]}\\\\"}]}',
    '{"zip":90211,\n "n":12345678901234567890}',
    '{\r\n}',
  ]
  const lines = elements.map(element => element.replace(/[\r\n]/g, ' '))
  const expected = (await checker.check(lines.join('\n'), { ...request, from: 'ndjson' })).text
  t.equal(expected.split('\n').length, 4)
  for (const space of ['', '\n', ' \t\r\n'])
    t.equal(
      (await array(`${space}[${space}${elements.join(`${space},${space}`)}${space}]${space}`)).text,
      expected,
    )
  const long = Array.from({ length: 12_000 }, (_, i) => `{"zip":"90210","i":${i}}`)
  t.equal((await array(`[${long.join(',\n')}]`)).counts.valid, 12_000)
  for (const [text, message] of [
    ['{"zip":"90210"}', /not one JSON array: for one object per line, use --from ndjson/],
    ['[{"zip":"90210"}', /has no end: the input is incomplete/],
    ['[{"zip":"90210"}] []', /not one JSON array/],
    ['[]', /the input is empty/],
    ['[{"zip":"90210"},]', /malformed after its element 1/],
    ['[{"zip":"90210"},,{"zip":"90210"}]', /malformed after its element 1/],
    ['[{"zip":"90210"}}', /malformed after its element 0/],
    ['[1]', /record 1: 1 is not an object/],
  ] as const)
    await t.rejects(array(text), { message }, text)
})

t.test('a summary suggests corrections of wrong records', async t => {
  const zips =
    '90210,US 9O210,US 9O210,us 1101,US 80331,US 99999,US 80331,DE SW1A,UK 1,AO SW1A,GB x,Nowhere'.split(' ')
  const { counts } = await checker.check(`zip,cc\n${zips.join('\n')}\n`)
  const { countries, wrong, wrongCountries } = summaryOf(counts, openPostal(index))
  t.same(countries, [
    { country: 'US', records: 6, valid: 1 },
    { country: 'GB', records: 2, valid: 2 },
    { country: 'AO', records: 1, valid: 0 },
    { country: 'DE', records: 1, valid: 1 },
    { country: '', records: 1, valid: 0 },
  ])
  t.same(wrong, [
    { country: 'US', code: '9O210', records: 2, meant: '90210' },
    { country: 'US', code: '1101', records: 1, meant: '01101' },
    { country: 'US', code: '80331', records: 1, meant: '80331 (DE)' },
    { country: 'US', code: '99999', records: 1, meant: null },
    { country: 'AO', code: '1', records: 1, meant: null },
  ])
  t.same(wrongCountries, [{ text: 'Nowhere', records: 1 }])
  const spoilt = [
    ['9.021E+04', '90210'],
    ['9.02E+08', '902…'],
    ['="01101"', '01101'],
    ['80331 München', '80331', 'DE'],
    ['London SW1A 1AA', 'SW1A', 'GB'],
    ['PO Box 12, 62701', '62701'],
    ['80331', '80331 (DE)'],
    ['1101.0', '01101'],
  ] as const
  for (const [code, meant, cc = 'US'] of spoilt) {
    const { counts } = await checker.check(`zip,cc\n${csvField(code, ',')},${cc}\n`)
    t.match(summaryOf(counts, openPostal(index)).wrong, [{ meant }], code)
  }
  t.equal(summaryOf(counts, undefined).wrong[0].meant, null)
  const many = Array.from({ length: 30_000 }, (_, i) => (i % 3 === 0 ? 'often,US' : `no ${i},US`))
  const { counts: bounded } = await checker.check(`zip,cc\n${many.join('\n')}\n`)
  t.ok(bounded.wrongCodes.size <= 4000, 'the rarest codes are dropped')
  t.same(summaryOf(bounded, undefined).wrong[0], { country: 'US', code: 'often', records: 1e4, meant: null })
})

t.test('a service gives the same results', async t => {
  const { baseUrl, key } = await startApp(t)
  const client = new PostrieClient({ baseUrl, apiKey: key })
  const checker = checkerOf(t, serviceChecker(client, baseUrl))
  for (const { name, input, request, encoding, expected, isLocal } of CASES)
    if (!isLocal) t.equal((await checker.check(input, request, encoding)).text, expected, name)
  await t.rejects(checker.check('zip,cc\n90210,US\n1,US,x\n'), { message: /record 2: it has 3 fields/ })
})

t.test('an empty balance keeps the paid results, and a resumed check pays for the rest', async t => {
  const { baseUrl, key, accounts, spentMicros } = await startApp(t)
  const [account] = accounts.listAccounts()
  const options = serviceChecker(new PostrieClient({ baseUrl, apiKey: key }), baseUrl)
  const folder = t.testdir({ 'in.csv': `zip\n${'90210\n'.repeat(ROWS)}` })
  const run = (resumes: boolean) =>
    runCheck({
      request: { ...REQUEST, country: 'US' },
      input: join(folder, 'in.csv'),
      encoding: undefined,
      output: join(folder, 'out.csv'),
      overwrites: !resumes,
      resumes,
      checker: options,
      onNote: () => {},
      onProgress: () => {},
      signal: new AbortController().signal,
    })
  const micros = (queries: number) => QUERY_PRICE_MICROS * queries
  await accounts.credit({ account: account.id, micros: micros(ROWS / 2), kind: 'test', reference: 'a' })
  const paid = ROWS / 2 + account.balanceMicros / 28
  await t.rejects(run(false), { code: 'insufficient_balance' })
  const rows = readFileSync(join(folder, 'out.csv'), 'utf8').split('\n').length - 2
  // Four pieces of some 3,400 records were in progress.
  t.ok(rows > paid - 4 * 3500, `${rows} of ${paid} that were paid for are written`)
  await accounts.credit({ account: account.id, micros: micros(ROWS), kind: 'test', reference: 'b' })
  t.equal((await run(true))?.counts.valid, ROWS)
  t.ok(spentMicros() <= micros(ROWS + 4 * 3500), `${spentMicros()} were paid for ${micros(ROWS)}`)
})

t.test('index and service give the same results for a sample of real codes', async t => {
  const index = openIndex(DEFAULT_INDEX)
  const { baseUrl, key } = await startApp(t, undefined, { index, queries: 200_000 })
  const postal = openPostal(DEFAULT_INDEX)
  const codes = [...sampleCodes(postal, 600, 1), ...absentCodes(postal, 120, 2)]
  const records = codes.map(({ text, country }, i) => {
    const { city = 'Nowhere', state = '' } = postal.lookup(text, country) ?? {}
    // A tenth has the city of another code, a tenth lacks a letter, a tenth is in capitals.
    const written = ['Springfield', city.slice(0, -1), city.toUpperCase()][i % 10] ?? city
    return { zip: text, country, city_name: written, state_name: state }
  })
  // A third of the texts is quoted without need.
  const fieldOf = (text: string, i: number) =>
    i % 3 === 0 ? `"${text.replaceAll('"', '""')}"` : csvField(text, ',')
  const rows = records.map((record, i) =>
    Object.values(record)
      .map(text => fieldOf(text, i))
      .join(','),
  )
  const csv = `zip,country,city_name,state_name\n${rows.join('\n')}\n`
  const ndjson = records
    .map((record, i) => `${JSON.stringify(record, null, i % 2 && ' ').replaceAll('\n', '')}\n`)
    .join('')
  const client = new PostrieClient({ baseUrl, apiKey: key })
  const here = checkerOf(t, indexChecker(DEFAULT_INDEX, 'build', 1))
  const there = checkerOf(t, serviceChecker(client, baseUrl))
  const compared = { city: 'city_name', state: 'state_name' }
  for (const request of [
    {},
    compared,
    { fields: PLACE_FIELDS },
    { fields: PLACE_FIELDS, ...compared, to: 'ndjson' as const },
    { ...compared, from: 'ndjson' as const, to: 'ndjson' as const },
  ]) {
    const input = 'from' in request ? ndjson : csv
    const local = await here.check(input, request)
    const remote = await there.check(input, request)
    t.ok(remote.text === local.text, `the same text with ${JSON.stringify(request)}`)
    t.same(remote.counts, local.counts)
    t.equal(local.counts.valid, 600)
  }
})

t.test('fields come through unchanged, whatever pieces they are cut into', async () => {
  const field = fc.oneof(
    fc.string({ unit: fc.constantFrom('"', ',', '\n', '\r\n', 'a', 'é', ' ', ';') }),
    fc.constantFrom('90210', '00000', ''),
  )
  const table = fc.array(fc.tuple(field, fc.constantFrom('90210', '00000', '"', 'x,y'), field), {
    minLength: 1,
  })
  await fc.assert(
    fc.asyncProperty(table, async rows => {
      const quoted = (texts: readonly string[]) => texts.map(text => csvField(text, ',')).join(',')
      const lines = rows.map(row => `${quoted(row)}\n`)
      const results = rows.map(([, code]) =>
        code === '90210'
          ? 'true,90210,,'
          : `false,,${code === '00000' ? 'not_found,' : 'invalid_format,wrong_format'}`,
      )
      const { text } = await checker.check(`a,zip,b\n${lines.join('')}`, { ...US, delimiter: ',' })
      const expected = rows.map((row, i) => `${quoted(row)},${results[i]}\n`)
      return text === `a,zip,b,valid,normalized,reason,detail\n${expected.join('')}`
    }),
    { numRuns: 100, seed: 11 },
  )
})

t.test('a large file is cut only between records', async t => {
  const checker = checkerOf(t, indexChecker(index, 'build', 2))
  await everyRecord(checker, i => `"line ""${i}""\nand, more",90210,${'x'.repeat(i % 97)}`)
  await everyRecord(checker, i => `${i},90210,${'x'.repeat(i % 97)}`)
  await everyRecord(checker, i => `"${'""\n'.repeat(i % 40)}",90210,"${i}"`)

  async function everyRecord({ check }: TestChecker, record: (i: number) => string) {
    const records = Array.from({ length: 8000 }, (_, i) => record(i))
    const { text, counts } = await check(`a,zip,b\n${records.join('\n')}\n`, { ...US, delimiter: ',' })
    const expected = records.map(text => `${text},true,90210,,\n`).join('')
    t.ok(text === `a,zip,b,valid,normalized,reason,detail\n${expected}`)
    t.same(counts.valid, 8000)
  }
})
