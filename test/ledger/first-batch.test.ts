import t from 'tap'
import { systemClock } from '../../src/ledger/clock.ts'
import { segmentPath, withFile } from '../../src/ledger/disk/files.ts'
import { nodeFileSystem } from '../../src/ledger/disk/node-file-system.ts'
import { FILE_HEADER_BYTES } from '../../src/ledger/log/file-header.ts'
import { readFramesOf } from '../../src/ledger/log/frame.ts'
import { SegmentLog } from '../../src/ledger/log/segment-log.ts'
import { BATCH_BYTES_MAX } from '../../src/limits.ts'

t.test(
  'a start with much usage writes one batch before its meter, so no earlier meter seems old',
  async t => {
    const folder = t.testdir()
    const log = await SegmentLog.open({
      fs: nodeFileSystem,
      folder,
      ledgerId: Buffer.alloc(16, 7),
      clock: systemClock,
      nowMs: Date.now,
      chain: { sequence: 0, crc: 0, epoch: 1 },
      last: null,
      onDurable() {},
      onFail: error => t.error(error),
    })
    for (let frame = 0; frame < 3; frame++) log.append(new Uint8Array((BATCH_BYTES_MAX / 4) * 3))
    await log.settled()
    log.append(new Uint8Array(1))
    await log.close()
    const positions: number[] = []
    await withFile(nodeFileSystem, segmentPath(folder, 1), 'read', file =>
      readFramesOf(file, FILE_HEADER_BYTES, { sequence: 0, crc: 0, epoch: 0 }, (_, __, batchPosition) =>
        positions.push(batchPosition),
      ),
    )
    t.same(positions, [0, 1, 2, 0])
  },
)
