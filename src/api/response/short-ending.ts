/** The end of answers with the short form of `performance`. */
import { pieceOf } from '../../text/piece.ts'
import type { ApiRequest } from '../service.ts'
import { type Ending, ending } from './respond.ts'

const TOTAL_TIME = pieceOf(',"performance":{"totalTime":"')
const TIMES_END = pieceOf('ms"}')

export const SHORT_ENDING: Ending = ending(',"performance":{"totalTime":"0ms"}', writeTimes)

function writeTimes({ output, startedMs }: ApiRequest, nowMs: number): void {
  output.piece(TOTAL_TIME)
  output.integer(Math.round(nowMs - startedMs))
  output.piece(TIMES_END)
}
