import { readFileSync } from 'node:fs'
import t from 'tap'
import { encodePayload } from '../../../src/billing/ledger/event.ts'
import { encodeFileHeader, SEGMENT_MAGIC } from '../../../src/billing/ledger/log/file-header.ts'
import { encodeBatch } from '../../../src/billing/ledger/log/frame.ts'

t.test('the code writes the worked example of FORMAT.md', async t => {
  const TIME_MS = 1_700_000_000_000
  const ledgerId = Buffer.alloc(16, 7)
  const header = { epoch: 1, ledgerId, sequence: 1, chainCrc: 0, createdMs: TIME_MS }
  const rows = [{ key: 1, queries: [3, 0, 1], spentMicros: 112 }]
  const chain = { sequence: 0, crc: 0, epoch: 1 }
  const segment = Buffer.concat([
    encodeFileHeader(SEGMENT_MAGIC, header),
    encodeBatch([encodePayload(TIME_MS, [{ kind: 'open' }])], chain),
    encodeBatch([encodePayload(TIME_MS + 5, [{ kind: 'usage', rows }])], chain),
  ])
  const format = readFileSync(new URL('../../../../src/billing/ledger/FORMAT.md', import.meta.url), 'utf8')
  const example = /```\n((?:[0-9a-f]{2} [^`]+)+)```/.exec(format)?.[1] ?? ''
  const bytes = example.split('\n').flatMap(line => line.slice(0, 26).match(/\b[0-9a-f]{2}\b/g) ?? [])
  t.equal(bytes.join(''), segment.toString('hex'))
})
