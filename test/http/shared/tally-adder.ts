/** A thread that counts three keys as fast as it can. */
import { workerData } from 'node:worker_threads'
import { Tally, textTallyKey } from '../../../src/http/shared/tally.ts'

const { memory, rounds } = workerData as { memory: SharedArrayBuffer; rounds: number }
const tally = new Tally(memory)
const keys = ['a', 'b', 'c'].map(textTallyKey)
for (let round = 0; round < rounds; round++) for (const key of keys) tally.add(key, 1, 1)
