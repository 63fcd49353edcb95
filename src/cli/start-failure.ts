/** What a start that failed says, where the error alone names no setting. */
import type { Config } from '../settings/config.ts'
import { indexReadText, portProblems } from './preflight.ts'

/** Sentences that name the setting, what was found and what to do. Empty: `error` has said all there is. */
export async function startProblems(config: Config, error: unknown): Promise<string[]> {
  if (!(error instanceof Error)) return []
  const { code, syscall, path } = error as NodeJS.ErrnoException
  // The sockets of the start are closed by now, so whatever is in their way is seen again.
  if (code === 'CANNOT_LISTEN' || syscall === 'listen' || syscall === 'getaddrinfo')
    return portProblems(config)
  return syscall !== undefined && path === config.indexFile ? [indexReadText(config.indexFile, error)] : []
}
