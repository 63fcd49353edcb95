import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { IndexBuilder } from '../../../build-index/write/index-builder.ts'
import {
  HEAD_BYTES,
  HEADER_BYTES,
  SECTION_ENTRY_BYTES,
  SECTION_NAMES,
  SECTIONS,
  type SectionName,
} from '../../../src/postal/format/layout.ts'
import { readSections } from '../../../src/postal/index/sections.ts'
import { code, country, place } from '../../support/countries.ts'

const FORMAT = fileURLToPath(new URL('../../../../src/postal/format/FORMAT.md', import.meta.url))
const LINE_BYTES = 16

const SOURCE = {
  id: 'fixture',
  title: 'Three codes',
  origin: '',
  licence: 'CC0',
  attribution: '',
  url: '',
  date: '',
}

const north = { name1: 'North', code1: 'N' }
const aa = place('Aa', north)
const path = join(t.testdir(), 'index.postrie')
const builder = new IndexBuilder([SOURCE])
builder.add(
  country('XX', [
    code('10', [aa], { lat: 1.5, lon: 2.5, elevation: 7, accuracy: 'code', timezone: 'UTC' }),
    code('11', [aa], { lat: 1.5, lon: 2.5, accuracy: 'place', timezone: 'UTC' }),
    code('20', [place('Bo', north, ['Boo'])], { timezone: 'UTC' }),
  ]),
)
await builder.finish(path, ['XX'], {})
const file = readFileSync(path)

/** Returns the lines of `bytes` from `at`: the offset, then words of 4 bytes, or all bytes, with their text. */
function dumpLines(
  at: number,
  bytes: Uint8Array,
  lineBytes: number,
  form: 'words' | 'bytes' | 'text',
): string[] {
  return Array.from({ length: Math.ceil(bytes.length / lineBytes) }, (_, i) => {
    const line = Buffer.from(bytes.subarray(i * lineBytes, (i + 1) * lineBytes))
    const offset = (at + i * lineBytes).toString(16).padStart(4, '0')
    const hex = line.toString('hex')
    if (form === 'words') return `${offset}  ${hex.replace(/.{8}(?=.)/g, '$& ')}`
    const text = line.toString('latin1').replace(/[^!-~]/g, '.')
    return `${offset}  ${hex}${form === 'text' ? `  ${text}` : ''}`
  })
}

function sectionLines(name: SectionName, bytes: Uint8Array): string[] {
  const isText = SECTIONS[name] === 1
  const at = bytes.byteOffset - file.byteOffset
  return [name, ...dumpLines(at, bytes, isText ? LINE_BYTES : SECTIONS[name], isText ? 'text' : 'words')]
}

t.test('the builder writes the example of FORMAT.md', async t => {
  const { sections } = readSections(file, path)
  const built = [
    'header',
    ...dumpLines(0, file.subarray(0, HEADER_BYTES), LINE_BYTES, 'bytes'),
    'section table',
    ...dumpLines(HEADER_BYTES, file.subarray(HEADER_BYTES, HEAD_BYTES), SECTION_ENTRY_BYTES, 'bytes'),
    ...SECTION_NAMES.flatMap(name => sectionLines(name, sections[name].bytes)),
  ]
  const [, block] = /```\n(header\n.*?)```/s.exec(readFileSync(FORMAT, 'utf8')) ?? ['', '']
  // A remark follows the semicolon.
  const shown = block.split('\n').map(line => line.replace(/ *;.*$/, '').trimEnd())
  t.same(
    shown.filter(line => line !== ''),
    built,
  )
})
