/** Room in the buffer of answers, for answers with a bounded number of texts. */
import { TEXT_FIELD_BYTES_MAX } from '../../format/layout.ts'
import { damaged } from '../../index/index-file-error.ts'
import { OUTPUT_BYTES, type Output } from '../../index/output.ts'

/** Two texts of the index, and what stands around them, at the end of the answer too. */
const ROOM_BYTES = 2 * TEXT_FIELD_BYTES_MAX + 2048

/** @throws DamagedIndexError when there is no room for another two texts: a hundred names fit many times over */
export function checkRoom({ length }: Output): void {
  if (length > OUTPUT_BYTES - ROOM_BYTES) damaged(`names of an answer take more than ${OUTPUT_BYTES} bytes`)
}
