/** Run by `npm test` before the tests, so that they need not build the same index side by side. */
import { buildDefaultIndex, DEFAULT_INDEX } from './default-index.ts'

await buildDefaultIndex()
console.error(`default index: ${DEFAULT_INDEX}`)
