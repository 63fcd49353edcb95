import type { NodeStatus } from './store.ts'

/** What people are told of a node. */
export function nodeState({ isWrittenOff, isSilent, isSettled }: NodeStatus): string {
  if (isWrittenOff) return 'given up'
  if (isSilent) return 'silent'
  return isSettled ? 'serving' : 'starting'
}
