/** Sources of answers for commands on codes: the local index, or a remote service. */

import { existsSync } from 'node:fs'
import { InvalidArgumentError, Option } from 'commander'
import { UsageError } from '../../platform/exit.ts'
import { readConfig } from '../../platform/settings/config.ts'
import { DEFAULT_COUNTRY } from '../../postal/index/country-table.ts'
import { COUNTRY_EXPECTED, countryLetters } from '../../postal/library/country-texts.ts'
import type { CodeSource } from '../../service/endpoints/source.ts'
import type { PostrieClient } from '../client/client.ts'

/** Variable with the API key for `--remote`. Every user of the machine could see an argument. */
const KEY_VARIABLE = 'POSTRIE_API_KEY'

export const COUNTRY_OPTION = new Option('--country <country>', 'code or name')
  .default(DEFAULT_COUNTRY)
  .argParser(parseCountry)
export const REMOTE_OPTION = new Option(
  '--remote <url>',
  `ask the service at this address, with the key in ${KEY_VARIABLE}; each answer is charged`,
)

/** Opens the local index, or a client of the service at `remote`. @throws UsageError without a key; Error without an index */
export async function codeSource(remote: string | undefined): Promise<CodeSource> {
  if (remote !== undefined) {
    const client = await clientOf(remote)
    return { ask: (name, body) => client.ask(name, body), check: () => null }
  }
  const [{ indexSource }, { openIndex }] = await Promise.all([
    import('../../service/endpoints/source.ts'),
    import('../../postal/library/node.ts'),
  ])
  return indexSource(openIndex(localIndex()))
}

export async function clientOf(url: string): Promise<PostrieClient> {
  const apiKey = process.env[KEY_VARIABLE] ?? ''
  if (apiKey === '') throw new UsageError(`${KEY_VARIABLE} is not set: set it to an API key of the service`)
  // Loaded late, like the library: other commands start without them.
  const { PostrieClient } = await import('../client/client.ts')
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

export function parseCountry(text: string): string {
  const letters = countryLetters(text)
  if (letters === undefined) throw new InvalidArgumentError(`It must be ${COUNTRY_EXPECTED}.`)
  return letters
}
