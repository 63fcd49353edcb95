/** Records of a MaxMind DB file. The search tree in front of them, which leads from addresses to records, is not needed here. */
import decoder from 'mmdb-lib/lib/decoder.js'

const METADATA_START = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
/** Zeros between the search tree and the records. */
const SEPARATOR_BYTES = 16

/** Returns the top-level records of `file`, which `readPackageFile` has compared with its checksum. */
export function* mmdbRecords(file: Buffer): Iterable<unknown> {
  const end = file.lastIndexOf(METADATA_START)
  const metadata = end + METADATA_START.length
  const { value: meta } = new decoder.default(file, metadata).decode(metadata)
  const start = (meta.node_count * meta.record_size) / 4 + SEPARATOR_BYTES
  // A few thousand names are shared by half a million records.
  const records = new decoder.default(file, start, new Map())
  for (let at = start; at < end; ) {
    const { value, offset } = records.decode(at)
    yield value
    at = offset
  }
}
