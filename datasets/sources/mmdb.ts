/** Reads records of a MaxMind DB without its search tree. */
import decoder from 'mmdb-lib/lib/decoder.js'

const METADATA_START = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
/** Zeros between the search tree and the records. */
const SEPARATOR_BYTES = 16

/** Yields the top-level records of `file`, whose checksum has been compared. */
export function* mmdbRecords(file: Buffer): Iterable<unknown> {
  const end = file.lastIndexOf(METADATA_START)
  const metadata = end + METADATA_START.length
  const { value: meta } = new decoder.default(file, metadata).decode(metadata)
  const start = (meta.node_count * meta.record_size) / 4 + SEPARATOR_BYTES
  // Half a million records share a few thousand names.
  const records = new decoder.default(file, start, new Map())
  for (let at = start; at < end; ) {
    const { value, offset } = records.decode(at)
    yield value
    at = offset
  }
}
