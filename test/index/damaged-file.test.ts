/** Files that are not a sound index: each gives a clear error, none a crash. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { writeSectionFile } from '../../build-index/write/section-file.ts'
import { COUNTRY_WORDS } from '../../src/format/country-entry.ts'
import { HEADER, SECTIONS, type SectionName } from '../../src/format/layout.ts'
import { suggestNames } from '../../src/index/autocomplete/suggest.ts'
import { searchCity } from '../../src/index/cities/city-search.ts'
import type { Country } from '../../src/index/country.ts'
import { IndexFileError } from '../../src/index/index-file-error.ts'
import { NearestSearch } from '../../src/index/nearest/nearest.ts'
import { openIndex, verifyIndex } from '../../src/index/open-index.ts'
import { countriesOf, countryByText, type PostalIndex } from '../../src/index/postal-index.ts'
import { openIndex as openLibrary, type PostalCodes } from '../../src/library/main.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { nearSection } from '../support/near-section.ts'
import { ENTRY, entryOf, headBytes, resealed, withSection } from '../support/sealed-file.ts'
import { spotSection } from '../support/spot-section.ts'

const folder = t.testdir()
const sound = readFileSync(writeIndex(folder))
let files = 0

/** A new file each time, because what is mapped must never change. */
function write(bytes: Uint8Array): string {
  const path = join(folder, `damaged-${files++}.postrie`)
  writeFileSync(path, bytes)
  return path
}

/** What opening `bytes` throws; undefined when it opens. */
function failure(
  bytes: Uint8Array,
  then: (path: string) => void = path => void openIndex(path),
): Error | undefined {
  const path = write(bytes)
  try {
    then(path)
    return undefined
  } catch (error) {
    return error as Error
  }
}

/** The file's name, what is wrong, and what to do. */
function isClear(error: Error | undefined): boolean {
  return (
    error instanceof IndexFileError && /^.*damaged-\d+\.postrie: .+; .*`postrie build`$/.test(error.message)
  )
}

t.test('a sound file opens and verifies', async t => {
  const path = write(sound)
  t.equal(openIndex(path).path, path)
  t.doesNotThrow(() => verifyIndex(openIndex(path)))
})

t.test('every byte of header and section table', async t => {
  const unclear: string[] = []
  for (let at = 0; at < headBytes(sound); at++) {
    for (const change of [1, 0x80, 0xff]) {
      const damaged = Buffer.from(sound)
      damaged[at] ^= change
      const error = failure(damaged)
      if (!isClear(error)) unclear.push(`byte ${at} ^ ${change}: ${error}`)
    }
  }
  t.same(unclear, [])
})

t.test('cut short', async t => {
  const lengths = [0, 1, 7, 8, 63, 64, 65, headBytes(sound) - 1, headBytes(sound)]
  for (let length = 100; length < sound.length; length += 97) lengths.push(length)
  lengths.push(sound.length - 1)
  const unclear = lengths.filter(length => !isClear(failure(sound.subarray(0, length))))
  t.same(unclear, [])
})

t.test('appended to', async t => {
  const error = failure(Buffer.concat([sound, Buffer.alloc(8)]))
  t.ok(isClear(error))
  t.match(error?.message, `holds ${sound.length + 8} bytes, its header says ${sound.length}`)
})

t.test('another kind of file', async t => {
  const error = failure(Buffer.from(`SQLite format 3\0${' '.repeat(200)}`))
  t.ok(isClear(error))
  t.match(error?.message, 'begins with "SQLite f", expected "postrie\\u0000"')
})

t.test('versions', async t => {
  const newer = failure(resealed(sound, file => file.writeUInt16LE(4, HEADER.major)))
  t.ok(isClear(newer))
  t.match(newer?.message, 'has format version 4, this postrie reads version 3')
  const older = failure(resealed(sound, file => file.writeUInt16LE(1, HEADER.major)))
  t.ok(isClear(older))
  t.match(older?.message, 'has format version 1, this postrie reads version 3')
  t.equal(
    failure(resealed(sound, file => file.writeUInt16LE(7, HEADER.minor))),
    undefined,
    'a higher minor version is read',
  )
})

t.test('section table', async t => {
  const entry = (name: string) => entryOf(sound, name)
  const sectionCount = Object.keys(SECTIONS).length
  const cases: [name: string, change: (file: Buffer) => void, message: RegExp][] = [
    ['unknown name', file => file.write('NEWS', entry('WRIT'), 'latin1'), /section WRIT is missing/],
    ['twice', file => file.write('PLAC', entry('ALIA'), 'latin1'), /PLAC.*12 expected|PLAC is there twice/],
    ['odd offset', file => file[entry('META') + ENTRY.offset]++, /section META lies at/],
    [
      'beyond the end',
      file => file.writeBigUInt64LE(2n ** 40n, entry('META') + ENTRY.length),
      /section META lies at/,
    ],
    [
      'overlapping',
      file => file.writeBigUInt64LE(0n, entry('CODE') + ENTRY.offset),
      /section CODE lies at 0/,
    ],
    [
      'immense',
      file => file.writeBigUInt64LE(2n ** 64n - 8n, entry('TEXT') + ENTRY.offset),
      /section TEXT lies at/,
    ],
    [
      'count',
      file => file.writeUInt32LE(1, entry('TRIE') + ENTRY.count),
      /TRIE holds \d+ bytes, 1 entries of 4 expected/,
    ],
    [
      'entry size',
      file => file.writeUInt32LE(0, entry('TRIE') + ENTRY.entryBytes),
      /TRIE have 0 bytes, 4 expected/,
    ],
    [
      'too many',
      file => file.writeUInt32LE(65, HEADER.sectionCount),
      /names 65 sections, at most 64 expected/,
    ],
    ['too few', file => file.writeUInt32LE(sectionCount - 1, HEADER.sectionCount), /section META is missing/],
  ]
  for (const [name, change, message] of cases) {
    const error = failure(resealed(sound, change))
    t.ok(isClear(error), name)
    t.match(error?.message, message, name)
  }
})

t.test('every section is required', async t => {
  for (const name of Object.keys(SECTIONS)) {
    const error = failure(resealed(sound, file => file.write('____', entryOf(file, name), 'latin1')))
    t.match(error?.message, `section ${name} is missing`, name)
  }
})

t.test('contents', async t => {
  for (const name of Object.keys(SECTIONS)) {
    const at = entryOf(sound, name)
    const offset = Number(sound.readBigUInt64LE(at + ENTRY.offset))
    const length = Number(sound.readBigUInt64LE(at + ENTRY.length))
    for (const position of length === 0 ? [] : [0, length >> 1, length - 1]) {
      const damaged = Buffer.from(sound)
      damaged[offset + position] ^= 0x10
      const error = failure(damaged, path => verifyIndex(openIndex(path)))
      t.ok(isClear(error), `${name} byte ${position}`)
      t.match(
        error?.message,
        new RegExp(`section ${name} has checksum [0-9a-f]{8}, expected [0-9a-f]{8}`),
        name,
      )
    }
  }
})

t.test('ranges and rules that are wrong under a right checksum', async t => {
  for (let word = 1; word < COUNTRY_WORDS; word++) {
    const file = withSection(sound, 'CTRY', section => section.writeUInt32LE(0x7fff_ffff, word * 4))
    const error = failure(file)
    t.ok(isClear(error), `word ${word}`)
    t.match(error?.message, /the ranges of [A-Z]{2} leave their sections/, `word ${word}`)
  }
  const file = withSection(sound, 'RULE', section => section.fill(0xc1))
  t.equal(failure(file), undefined, 'rules are not read before a country is asked for')
  const error = failure(file, path => void countriesOf(openIndex(path)))
  t.ok(isClear(error))
  t.match(error?.message, /the rules of [A-Z]{2} cannot be read/)
})

/** Where in `section` the array of 34 small numbers after the field `name` of its last country begins. */
function lengthsAt(t: Test, section: Buffer, name: string): number {
  const header = section.lastIndexOf(name) + name.length
  t.same([...section.subarray(header, header + 3)], [0xdc, 0, 34], 'an array of 34 entries')
  return header + 3
}

t.test('key lengths beyond the section are refused, where a city query scanned for ever', async t => {
  const endless = withSection(sound, 'RULE', section => {
    const at = lengthsAt(t, section, 'placeLengths')
    // The last five numbers become a single one, 2^32 - 1.
    section[at - 1] = 30
    section[at + 29] = 0xce
    section.writeUInt32BE(0xffff_ffff, at + 30)
  })
  const longer = withSection(sound, 'RULE', section => {
    section[lengthsAt(t, section, 'placeLengths') + 33] = 0x7f
  })
  for (const file of [endless, longer]) {
    const error = failure(file, path => {
      const index = openIndex(path)
      const country = countryByText(index, 'US') as Country
      searchCity(index, country, { city: 'a'.repeat(28), state: undefined, stateCode: undefined })
    })
    t.ok(isClear(error))
    t.match(error?.message, /the rules of US cannot be read: `placeLengths` is /)
  }
})

/** As an older minor version wrote it: by default as 3.0, without any of the sections that came later. */
function aged(
  file: Buffer,
  minor: number,
  sections = ['NEAR', 'NAME', 'ACCU', 'SPOT', 'LEAD', 'SITE'],
): Buffer {
  return resealed(file, copy => {
    copy.writeUInt16LE(minor, HEADER.minor)
    for (const [i, name] of sections.entries()) copy.write(`OLD${i}`, entryOf(copy, name), 'latin1')
  })
}

t.test('a file of version 3.1 is read, and does not say how exact its positions are', t => {
  const metadata = (file: Buffer): unknown => {
    let found: unknown
    t.equal(
      failure(file, path => {
        found = openLibrary(path).metadata('90210', 'US')
      }),
      undefined,
    )
    return found
  }
  t.match(metadata(sound), { zipcode: '90210', accuracy: 'code' })
  const older = metadata(aged(sound, 1, ['ACCU']))
  t.match(older, { zipcode: '90210', latitude: Number })
  t.notOk('accuracy' in (older as object))
  t.match(failure(aged(sound, 2, ['ACCU']))?.message, /section ACCU is missing/)
  t.end()
})

t.test('a file of version 3.0 is read, and says what it cannot answer', async t => {
  const error = failure(aged(sound, 0), path => {
    const index = openIndex(path)
    const country = countryByText(index, 'US') as Country
    t.equal(new NearestSearch(index).isPossible, false)
    t.equal(suggestNames(index, country, 'spring', 5), undefined)
  })
  t.equal(error, undefined)
  for (const ask of [
    (codes: PostalCodes) => codes.nearest({ zipcode: '90210' }),
    (codes: PostalCodes) => codes.autocomplete('spring'),
  ])
    t.match(
      failure(aged(sound, 0), path => ask(openLibrary(path))),
      {
        name: 'IndexFileError',
        message: /it was built before .*; rebuild it with `postrie build`/,
      },
    )
  t.match(failure(aged(sound, 1))?.message, /section NEAR is missing/)
})

/** The sound file with other sections, as an older version wrote them. */
function older(changed: (index: PostalIndex) => Partial<Record<SectionName, Uint8Array>>): PostalCodes {
  const index = openIndex(write(sound))
  const sections = Object.fromEntries(
    (Object.keys(SECTIONS) as SectionName[]).map(name => [name, index.file.sections[name].bytes]),
  ) as Record<SectionName, Uint8Array>
  const path = join(folder, 'older.postrie')
  const parts = {
    sections: { ...sections, ...changed(index) },
    counts: { TEXT: index.file.sections.TEXT.count, RULE: index.file.countryCount, META: 1 },
    ...{ dataDayMs: 0, codeCount: index.file.sections.CODE.count, countryCount: index.file.countryCount },
  }
  writeSectionFile(path, parts, () => {})
  return openLibrary(path)
}

const NOTHING = new Uint8Array(0)
/** Around codes with positions of their own and codes that share one, and with an answer of every code in reach. */
const NEAR_QUESTIONS = [
  { zipcode: '90210' },
  { zipcode: '10001', limit: 100 },
  { latitude: 35.68, longitude: 139.76, radius: 50, limit: 40 },
  { latitude: 0, longitude: 179.9, country: 'US' },
]

t.test(
  'a file of version 3.1 is read: its boxes keep the order of codes, and its names have no marks',
  async t => {
    const codes = older(index => ({
      NEAR: nearSection(index.codes, countriesOf(index)),
      SITE: NOTHING,
      LEAD: NOTHING,
    }))
    const newer = openLibrary(write(sound))
    for (const question of NEAR_QUESTIONS) t.same(codes.nearest(question), newer.nearest(question))
    t.ok(codes.nearest({ zipcode: '90210' })?.length)
    for (const query of ['s', 'spring', 'st l', 'los angeles'])
      t.same(codes.autocomplete(query), newer.autocomplete(query), query)
  },
)

t.test('a file of version 3.2 is read: the leaves of its trees are codes', async t => {
  const codes = older(index => ({ SPOT: spotSection(index.codes, countriesOf(index)), SITE: NOTHING }))
  const newer = openLibrary(write(sound))
  for (const question of NEAR_QUESTIONS) t.same(codes.nearest(question), newer.nearest(question))
  t.ok(codes.nearest({ zipcode: '90210' })?.length)
})

t.test('a site of codes that its country does not have is reported', async t => {
  const file = withSection(sound, 'SITE', section => section.fill(0xff, section.length - 64))
  const last = countriesOf(openIndex(write(sound))).at(-1) as Country
  const codes = openLibrary(write(file))
  t.throws(() => codes.nearest({ latitude: 0, longitude: 0 }, { country: last.cc }), {
    name: 'DamagedIndexError',
    message: new RegExp(`a site of ${last.cc} has the codes 16777215 to 16777470 of ${last.codeCount}`),
  })
})

t.test('no file', async t => {
  t.throws(() => openIndex(join(folder, 'nothing.postrie')), { code: 'ENOENT' })
})
