/** Sources of answers for commands and agents: the local index, or a remote service. */

import { existsSync } from 'node:fs'
import { UsageError } from '../platform/exit.ts'
import { readConfig } from '../platform/settings/config.ts'
import { type Fault, isFault } from '../service/endpoints/endpoint.ts'
import type { EndpointBody, EndpointName, EndpointResult } from '../service/endpoints/table.ts'
import type { PostrieClient } from './client/client.ts'

/** Variable with the API key for `--remote`. Every user of the machine could see an argument. */
export const KEY_VARIABLE = 'POSTRIE_API_KEY'

export interface CodeSource {
  /** Answers a question; undefined for an unknown code, city or state, or a country without data. */
  ask<N extends EndpointName>(name: N, body: EndpointBody<N>): Promise<EndpointResult<N> | undefined>
  /** Returns the fault of a body, or null. A service checks its bodies itself, when `ask` is called. */
  check(name: EndpointName, body: object): Fault | null
}

/** Opens the local index, or a client of the service at `remote`. @throws UsageError without a key */
export async function codeSource(remote: string | undefined): Promise<CodeSource> {
  if (remote !== undefined) {
    const client = await clientOf(remote)
    return { ask: (name, body) => client.ask(name, body), check: () => null }
  }
  const [{ ENDPOINTS }, { openIndex }] = await Promise.all([
    import('../service/endpoints/table.ts'),
    import('../postal/library/node.ts'),
  ])
  const codes = openIndex(localIndex())
  return {
    check: (name, body) => ENDPOINTS[name].check(codes, { ...body }),
    async ask<N extends EndpointName>(name: N, body: EndpointBody<N>) {
      const answer = ENDPOINTS[name].run(codes, { ...body })
      return isFault(answer) ? undefined : (answer as EndpointResult<N>)
    },
  }
}

export async function clientOf(url: string): Promise<PostrieClient> {
  const apiKey = process.env[KEY_VARIABLE] ?? ''
  if (apiKey === '') throw new UsageError(`${KEY_VARIABLE} is not set: set it to an API key of the service`)
  // Loaded late, like the library: other commands start without them.
  const { PostrieClient } = await import('./client/client.ts')
  try {
    return new PostrieClient({ baseUrl: url, apiKey })
  } catch (error) {
    throw new UsageError(`--remote: ${error instanceof Error ? error.message : error}`)
  }
}

/** Returns the path of the configured index. @throws Error if there is none, with the remedies */
export function localIndex(): string {
  const { indexFile } = readConfig(process.env)
  if (!existsSync(indexFile))
    throw new Error(
      `there is no index at ${indexFile}: build it with 'postrie build', name another in INDEX_FILE, or use --remote`,
    )
  return indexFile
}
