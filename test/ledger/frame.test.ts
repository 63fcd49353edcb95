import { readFileSync } from 'node:fs'
import { crc32 as crc } from 'node:zlib'
import t from 'tap'
import { encodePayload } from '../../src/ledger/event.ts'
import { LedgerError } from '../../src/ledger/ledger-error.ts'
import { decodeFileHeader, encodeFileHeader, SEGMENT_MAGIC } from '../../src/ledger/log/file-header.ts'
import { type Chain, encodeBatch, provenDurable, readFrames } from '../../src/ledger/log/frame.ts'

const start = (): Chain => ({ sequence: 0, crc: 0, epoch: 1 })
const payload = (text: string): Buffer => Buffer.from(text)

t.test('the worked example of FORMAT.md is what the code writes', async t => {
  const TIME_MS = 1_700_000_000_000
  const ledgerId = Buffer.alloc(16, 7)
  const header = { epoch: 1, ledgerId, sequence: 1, chainCrc: 0, createdMs: TIME_MS }
  const rows = [{ key: 1, queries: [3, 0, 1], spentMicros: 112 }]
  const chain = start()
  const segment = Buffer.concat([
    encodeFileHeader(SEGMENT_MAGIC, header),
    encodeBatch([encodePayload(TIME_MS, [{ kind: 'open' }])], chain),
    encodeBatch([encodePayload(TIME_MS + 5, [{ kind: 'usage', rows }])], chain),
  ])
  const format = readFileSync(new URL('../../../src/ledger/FORMAT.md', import.meta.url), 'utf8')
  const example = /```\n((?:[0-9a-f]{2} [^`]+)+)```/.exec(format)?.[1] ?? ''
  const bytes = example.split('\n').flatMap(line => line.slice(0, 26).match(/\b[0-9a-f]{2}\b/g) ?? [])
  t.equal(bytes.join(''), segment.toString('hex'))
})

t.test('frames are read back, with chain, sequence and epoch', async t => {
  const chain = start()
  const bytes = Buffer.concat([
    encodeBatch([payload('a'), payload('bc')], chain),
    encodeBatch([payload('d')], { ...chain, epoch: 2 }),
  ])
  const found: string[] = []
  const read = { ...start(), epoch: 0 }
  const fault = readFrames(bytes, 0, read, payload => {
    found.push(`${read.sequence} ${read.epoch} ${payload}`)
  })
  t.equal(fault, null)
  t.same(found, ['1 1 a', '2 1 bc', '3 2 d'])
})

t.test('a frame out of place is a fault that names what was expected', async t => {
  const chain = start()
  const first = encodeBatch([payload('a')], chain)
  const second = encodeBatch([payload('b')], chain)
  const cases: [rest: Buffer, found: RegExp][] = [
    [first, /chained to 0x00000000/],
    [second.subarray(0, 20), /20 bytes, less than a frame header/],
    [Buffer.alloc(64), /a payload length of 0/],
    [Buffer.alloc(1), /1 bytes/],
  ]
  for (const [rest, found] of cases) {
    const fault = readFrames(Buffer.concat([first, rest]), 0, start(), () => {})
    t.match(fault?.found, found)
    t.equal(fault?.frameOffset, first.length)
  }
  t.match(
    readFrames(encodeBatch([payload('a')], start()), 0, { ...start(), epoch: 9 }, () => {})?.found,
    /epoch 1/,
  )
})

t.test('a later frame proves earlier ones durable, except those of its own batch', async t => {
  const chain = start()
  encodeBatch([payload('a'), payload('b')], chain)
  const batch = encodeBatch([payload('c'), payload('d')], chain)
  const bytes = Buffer.concat([Buffer.from('torn bytes'), batch])
  t.equal(provenDurable(bytes, 1), 2)
  t.equal(provenDurable(bytes.subarray(0, bytes.length - 1), 1), 2, 'one intact frame is enough')
  t.equal(provenDurable(Buffer.alloc(1000), 1), 0)
})

t.test('a header of another format is refused by name', async t => {
  const header = { epoch: 1, ledgerId: Buffer.alloc(16, 7), sequence: 1, chainCrc: 0, createdMs: 0 }
  const bytes = encodeFileHeader(SEGMENT_MAGIC, header)
  t.match(decodeFileHeader('file', SEGMENT_MAGIC, bytes), header)
  t.match(decodeFileHeader('file', 'PTSNAPSH', bytes), { found: 'magic "PTLEDGER"' })
  t.match(decodeFileHeader('file', SEGMENT_MAGIC, bytes.subarray(0, 63)), { found: '63 bytes' })
  const newer = Buffer.from(bytes)
  newer.writeUInt32LE(2, 8)
  newer.writeUInt32LE(crc(newer.subarray(0, 60)), 60)
  t.throws(
    () => decodeFileHeader('file', SEGMENT_MAGIC, newer),
    new LedgerError('OTHER_FORMAT', {
      file: 'file',
      offset: 8,
      found: 'format version 2',
      expected: '1',
      remedy: 'It was written by another version of postrie: start that version on this folder.',
    }),
  )
})
