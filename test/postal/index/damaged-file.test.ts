import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { COUNTRY_WORDS } from '../../../src/postal/format/country-entry.ts'
import {
  SECTION_ENTRY as ENTRY,
  HEAD_BYTES,
  HEADER,
  SECTION_NAMES,
} from '../../../src/postal/format/layout.ts'
import type { Country } from '../../../src/postal/index/country.ts'
import { IndexFileError } from '../../../src/postal/index/index-file-error.ts'
import { openIndex, verifyIndex } from '../../../src/postal/index/open-index.ts'
import { countriesOf } from '../../../src/postal/index/postal-index.ts'
import { openIndex as openLibrary } from '../../../src/postal/library/node.ts'
import { writeIndex } from '../../support/fixture-index.ts'
import { reseal, sectionEntryOffset, withSection } from '../../support/sealed-file.ts'

const folder = t.testdir()
const sound = readFileSync(writeIndex(folder))
let files = 0

/** Writes a new file each time, because a mapped file must never change. */
function writeCopy(bytes: Uint8Array): string {
  const path = join(folder, `damaged-${files++}.postrie`)
  writeFileSync(path, bytes)
  return path
}

function openError(
  bytes: Uint8Array,
  then: (path: string) => void = path => void openIndex(path),
): Error | undefined {
  const path = writeCopy(bytes)
  try {
    then(path)
    return undefined
  } catch (error) {
    return error as Error
  }
}

/** Checks that a message has the file's name, the damage, and the remedy. */
function isClear(error: Error | undefined): boolean {
  return (
    error instanceof IndexFileError && /^.*damaged-\d+\.postrie: .+; .*`postrie build`$/.test(error.message)
  )
}

t.test('a change of any byte of header and section table is refused', async t => {
  const unclear: string[] = []
  for (let at = 0; at < HEAD_BYTES; at++) {
    for (const change of [1, 0x80, 0xff]) {
      const damaged = Buffer.from(sound)
      damaged[at] ^= change
      const error = openError(damaged)
      if (!isClear(error)) unclear.push(`byte ${at} ^ ${change}: ${error}`)
    }
  }
  t.same(unclear, [])
})

t.test('a shortened file is refused', async t => {
  const lengths = [0, 1, 7, 8, 63, 64, 65, HEAD_BYTES - 1, HEAD_BYTES]
  for (let length = 100; length < sound.length; length += 97) lengths.push(length)
  lengths.push(sound.length - 1)
  const unclear = lengths.filter(length => !isClear(openError(sound.subarray(0, length))))
  t.same(unclear, [])
})

t.test('an extended file is refused', async t => {
  const error = openError(Buffer.concat([sound, Buffer.alloc(8)]))
  t.ok(isClear(error))
  t.match(error?.message, `holds ${sound.length + 8} bytes, its header says ${sound.length}`)
})

t.test('a file of another kind is refused', async t => {
  const error = openError(Buffer.from(`SQLite format 3\0${' '.repeat(200)}`))
  t.ok(isClear(error))
  t.match(error?.message, 'begins with "SQLite f", expected "postrie\\u0000"')
})

t.test('a file of another version is refused', async t => {
  for (const version of [0, 2, 3]) {
    const error = openError(reseal(sound, file => file.writeUInt32LE(version, HEADER.version)))
    t.ok(isClear(error))
    t.match(error?.message, `has format version ${version}, this postrie reads version 1`)
  }
})

t.test('verify refuses damaged contents', async t => {
  for (const name of SECTION_NAMES) {
    const at = sectionEntryOffset(name)
    const offset = Number(sound.readBigUInt64LE(at + ENTRY.offset))
    const length = Number(sound.readBigUInt64LE(at + ENTRY.length))
    for (const position of length === 0 ? [] : [0, length >> 1, length - 1]) {
      const damaged = Buffer.from(sound)
      damaged[offset + position] ^= 0x10
      const error = openError(damaged, path => verifyIndex(openIndex(path)))
      t.ok(isClear(error), `${name} byte ${position}`)
      t.match(
        error?.message,
        new RegExp(`section ${name} has checksum [0-9a-f]{8}, expected [0-9a-f]{8}`),
        name,
      )
    }
  }
})

t.test('wrong ranges and rules with a valid checksum are refused', async t => {
  for (let word = 1; word < COUNTRY_WORDS; word++) {
    const file = withSection(sound, 'CTRY', section => section.writeUInt32LE(0x7fff_ffff, word * 4))
    const error = openError(file)
    t.ok(isClear(error), `word ${word}`)
    t.match(error?.message, /the ranges of [A-Z]{2} leave their sections/, `word ${word}`)
  }
  const file = withSection(sound, 'RULE', section => section.fill(0xc1))
  t.equal(openError(file), undefined, 'rules are not read before a country is asked for')
  const error = openError(file, path => void countriesOf(openIndex(path)))
  t.ok(isClear(error))
  t.match(error?.message, /the rules of [A-Z]{2} cannot be read/)
})

t.test('a point in NEAR outside its country’s codes is reported', async t => {
  const file = withSection(sound, 'NEAR', section => section.fill(0xff, section.length - 4))
  const last = countriesOf(openIndex(writeCopy(sound))).at(-1) as Country
  const codes = openLibrary(writeCopy(file))
  t.throws(() => codes.nearest({ latitude: 0, longitude: 0 }, { country: last.cc }), {
    name: 'DamagedIndexError',
    message: new RegExp(`a site of ${last.cc} has the codes \\d+ to \\d+, its last is \\d+`),
  })
})
