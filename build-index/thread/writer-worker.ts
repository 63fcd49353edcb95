/** The thread of `writer-thread.ts`: unpacks each country, adds it, and answers; then writes the file. */
import assert from 'node:assert/strict'
import { parentPort, workerData } from 'node:worker_threads'
import { releaseCities } from '../../datasets/reference/cities-500.ts'
import { LocalWriter } from '../write-index.ts'
import { unpackModel } from './packed-model.ts'
import type { Request } from './writer-thread.ts'

assert(parentPort !== null, 'writer-worker runs in a thread of the builder')
const port = parentPort
const writer = new LocalWriter(workerData)
// The gazetteer was read for the names of large cities alone.
releaseCities()

/** What was asked for so far. A failure ends the thread, since nobody handles it. */
let done = Promise.resolve()

port.on('message', (request: Request) => {
  done = done.then(() => answer(request))
})

async function answer(request: Request): Promise<void> {
  if (request === 'finish') port.postMessage(await writer.finish())
  else {
    await writer.add(unpackModel(request))
    port.postMessage(undefined)
  }
}
