/** Headers that every answer of the API has when `ANSWER_HEADERS` names them. */
import type { EnvReader } from './env.ts'

export const ANSWER_HEADERS = ['request-id', 'server-timing', 'index-build'] as const
export type AnswerHeader = (typeof ANSWER_HEADERS)[number]

/** `ANSWER_HEADERS=request-id,server-timing`. */
export function readAnswerHeaders(reader: EnvReader): readonly AnswerHeader[] {
  const names = reader
    .text('ANSWER_HEADERS', '')
    .split(',')
    .map(name => name.trim().toLowerCase())
    .filter(name => name !== '')
  const known = ANSWER_HEADERS.filter(header => names.includes(header))
  const unknown = names.find(name => !ANSWER_HEADERS.some(header => header === name))
  if (unknown !== undefined)
    reader.problem(
      'ANSWER_HEADERS',
      unknown,
      `names out of ${ANSWER_HEADERS.join(', ')}, separated by commas`,
    )
  return known
}
