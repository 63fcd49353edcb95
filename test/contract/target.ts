/**
 * The contract suite runs against a server of this checkout with the default index, or any server at
 * POSTRIE_BASE_URL. For another server, POSTRIE_API_KEY is a key with some balance. POSTRIE_EMPTY_KEY (no
 * balance), POSTRIE_REVOKED_KEY and POSTRIE_LIMITED_KEY (limits used up) enable more cases. Tests that need
 * an operator are skipped.
 */
import type { Test } from 'tap'
import { DEFAULT_INDEX } from '../support/default-index.ts'
import { checkAnswer } from '../support/openapi.ts'
import { observeAnswers } from '../support/post.ts'
import { startServer } from '../support/processes.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { Operator } from './operator.ts'

export interface Target {
  /** Address without a trailing slash. */
  baseUrl: string
  /** Key of an account that can pay for the suite. */
  key: string
  emptyKey?: string
  revokedKey?: string
  limitedKey?: string
  /** Opens accounts as an operator; undefined for another server. */
  operator: Operator | undefined
}

/** Checks every answer against the OpenAPI document. A server that it starts ends with the test. */
export async function openTarget(t: Test): Promise<Target> {
  observeAnswers(checkAnswer)
  const { POSTRIE_BASE_URL, POSTRIE_API_KEY, POSTRIE_EMPTY_KEY, POSTRIE_REVOKED_KEY, POSTRIE_LIMITED_KEY } =
    process.env
  if (POSTRIE_BASE_URL !== undefined) {
    if (POSTRIE_API_KEY === undefined) throw new Error('POSTRIE_BASE_URL needs POSTRIE_API_KEY')
    return {
      baseUrl: POSTRIE_BASE_URL.replace(/\/+$/, ''),
      key: POSTRIE_API_KEY,
      emptyKey: POSTRIE_EMPTY_KEY,
      revokedKey: POSTRIE_REVOKED_KEY,
      limitedKey: POSTRIE_LIMITED_KEY,
      operator: undefined,
    }
  }
  const folder = temporaryFolder(t)
  const server = await startServer(folder, { INDEX_FILE: DEFAULT_INDEX })
  t.teardown(() => server.stop())
  const operator = new Operator(folder)
  const { id, key } = await operator.open()
  await operator.credit(id, '5')
  return { baseUrl: server.api, key, operator }
}

export function needsOperator({ operator }: Target): { skip: string | false } {
  return { skip: operator === undefined && 'needs an operator: POSTRIE_BASE_URL is set' }
}
