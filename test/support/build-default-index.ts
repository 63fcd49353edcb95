/** Run by `npm test` before the tests, so that they do not all build the same index. */
import { buildDefaultIndex, DEFAULT_INDEX } from './default-index.ts'

await buildDefaultIndex()
console.error(`default index: ${DEFAULT_INDEX}`)
