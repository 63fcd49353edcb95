/** Files that are not a sound index: each gives a clear error, none a crash. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { COUNTRY_WORDS } from '../../src/format/country-entry.ts'
import { SECTION_ENTRY as ENTRY, HEAD_BYTES, HEADER, SECTION_NAMES } from '../../src/format/layout.ts'
import type { Country } from '../../src/index/country.ts'
import { IndexFileError } from '../../src/index/index-file-error.ts'
import { openIndex, verifyIndex } from '../../src/index/open-index.ts'
import { countriesOf } from '../../src/index/postal-index.ts'
import { openIndex as openLibrary } from '../../src/library/main.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { entryOf, resealed, withSection } from '../support/sealed-file.ts'

const folder = t.testdir()
const sound = readFileSync(writeIndex(folder))
let files = 0

/** A new file each time, because what is mapped must never change. */
function write(bytes: Uint8Array): string {
  const path = join(folder, `damaged-${files++}.postrie`)
  writeFileSync(path, bytes)
  return path
}

/** Returns what opening `bytes` throws; undefined when it opens. */
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
  for (let at = 0; at < HEAD_BYTES; at++) {
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
  const lengths = [0, 1, 7, 8, 63, 64, 65, HEAD_BYTES - 1, HEAD_BYTES]
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

t.test('another version', async t => {
  for (const version of [0, 2, 3]) {
    const error = failure(resealed(sound, file => file.writeUInt32LE(version, HEADER.version)))
    t.ok(isClear(error))
    t.match(error?.message, `has format version ${version}, this postrie reads version 1`)
  }
})

t.test('section table', async t => {
  const cases: [name: string, change: (file: Buffer) => void, message: RegExp][] = [
    ['unknown', file => file.write('NEWS', entryOf('WRIT'), 'latin1'), /has section "NEWS", expected WRIT/],
    ['twice', file => file.write('PLAC', entryOf('ALIA'), 'latin1'), /has section "PLAC", expected ALIA/],
    ['odd offset', file => file[entryOf('META') + ENTRY.offset]++, /section META lies at/],
    [
      'beyond the end',
      file => file.writeBigUInt64LE(2n ** 40n, entryOf('META') + ENTRY.length),
      /section META lies at/,
    ],
    [
      'overlapping',
      file => file.writeBigUInt64LE(0n, entryOf('CODE') + ENTRY.offset),
      /section CODE lies at 0/,
    ],
    [
      'immense',
      file => file.writeBigUInt64LE(2n ** 64n - 8n, entryOf('TEXT') + ENTRY.offset),
      /section TEXT lies at/,
    ],
    [
      'half an entry',
      file => file.writeBigUInt64LE(6n, entryOf('TRIE') + ENTRY.length),
      /section TRIE holds 6 bytes, which is no multiple of its entries' 4 bytes/,
    ],
    ['too many', file => file.writeUInt32LE(65, HEADER.sectionCount), /names 65 sections, 18 expected/],
    ['too few', file => file.writeUInt32LE(17, HEADER.sectionCount), /names 17 sections, 18 expected/],
    [
      'codes without records',
      file => file.writeUInt32LE(2 ** 31, HEADER.codeCount),
      /the header counts 2147483648 codes/,
    ],
  ]
  for (const [name, change, message] of cases) {
    const error = failure(resealed(sound, change))
    t.ok(isClear(error), name)
    t.match(error?.message, message, name)
  }
})

t.test('contents', async t => {
  for (const name of SECTION_NAMES) {
    const at = entryOf(name)
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

t.test('a site of codes that its country does not have is reported', async t => {
  const file = withSection(sound, 'NEAR', section => section.fill(0xff, section.length - 4))
  const last = countriesOf(openIndex(write(sound))).at(-1) as Country
  const codes = openLibrary(write(file))
  t.throws(() => codes.nearest({ latitude: 0, longitude: 0 }, { country: last.cc }), {
    name: 'DamagedIndexError',
    message: new RegExp(`a site of ${last.cc} has the codes \\d+ to \\d+, its last is \\d+`),
  })
})

t.test('no file', async t => {
  t.throws(() => openIndex(join(folder, 'nothing.postrie')), { code: 'ENOENT' })
})
