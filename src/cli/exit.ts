import type { OperatorErrorCode } from '../control/operator/operator-error.ts'

/** Exit codes of every command. */
export const EXIT = { ok: 0, failed: 1, usage: 2, torn: 3, damaged: 4, busy: 5, unavailable: 6 } as const

/** What each means, as `postrie --help` says it. */
const MEANINGS: Record<keyof typeof EXIT, string> = {
  ok: 'done',
  failed: 'failed or refused',
  usage: 'wrong usage or settings',
  torn: "the ledger's tail is torn",
  damaged: 'the ledger is damaged',
  busy: 'another process holds the data folder',
  unavailable: 'the server cannot write, or the connection to it broke',
}

/** A line per exit code. */
export function exitCodesText(): string {
  const names = Object.keys(EXIT) as (keyof typeof EXIT)[]
  return names.map(name => `  ${EXIT[name]}  ${MEANINGS[name]}`).join('\n')
}

/** How a command ends that was refused. */
export const OPERATOR_EXIT: Record<OperatorErrorCode, number> = {
  refused: EXIT.failed,
  not_found: EXIT.failed,
  invalid: EXIT.usage,
  torn: EXIT.torn,
  damaged: EXIT.damaged,
  busy: EXIT.busy,
  unavailable: EXIT.unavailable,
  internal: EXIT.failed,
}
