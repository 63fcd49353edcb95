/** Where the commands on codes get their answers: the index at hand, or a service elsewhere. */
import { existsSync } from 'node:fs'
import { Option } from 'commander'
import type { PostrieClient } from '../client/main.ts'
import type { Metadata, Verdict } from '../library/main.ts'
import { readConfig } from '../settings/config.ts'
import type { JsonFlag } from './options.ts'
import { UsageError } from './usage-error.ts'

/** The variable that holds the API key for `--remote`: an argument would be seen by every user of the machine. */
const KEY_VARIABLE = 'POSTRIE_API_KEY'

export interface CodeFlags extends JsonFlag {
  country: string
  remote?: string
}

/** What every command on codes takes. */
export const COUNTRY_OPTION = new Option('--country <code>', 'two letters').default('US')
export const REMOTE_OPTION = new Option(
  '--remote <url>',
  `ask the service at this address, with the key in ${KEY_VARIABLE}; each answer is charged`,
)

export interface FoundCity {
  zipcodes: string[]
  matched?: { city: string; state: string; ST: string }
}

/** The same answers from either side; undefined: there is none. */
export interface CodeSource {
  metadata(code: string, country: string): Promise<Metadata | undefined>
  check(code: string, country: string): Promise<Verdict>
  city(name: string, country: string, state: string | undefined): Promise<FoundCity | undefined>
}

/** @throws UsageError when a setting or the key is missing, Error when there is no index */
export async function codeSource(remote: string | undefined): Promise<CodeSource> {
  return remote === undefined ? localSource() : remoteSource(await clientOf(remote))
}

/** A client of the service at `url`, with the key from the environment. @throws UsageError */
export async function clientOf(url: string): Promise<PostrieClient> {
  const apiKey = process.env[KEY_VARIABLE] ?? ''
  if (apiKey === '')
    throw new UsageError(`${KEY_VARIABLE} is not set: --remote needs an API key of the service in it`)
  // Loaded late, as the library is below: the other commands start without them.
  const { PostrieClient } = await import('../client/main.ts')
  try {
    return new PostrieClient({ baseUrl: url, apiKey })
  } catch (error) {
    throw new UsageError(`--remote: ${error instanceof Error ? error.message : error}`)
  }
}

/** Path of the configured index. @throws Error when there is none, with the remedies */
export function indexAtHand(): string {
  const { indexFile } = readConfig(process.env)
  if (!existsSync(indexFile))
    throw new Error(
      `there is no index at ${indexFile}: build it with 'postrie build', name another in INDEX_FILE, or use --remote`,
    )
  return indexFile
}

async function localSource(): Promise<CodeSource> {
  const { openIndex } = await import('../library/main.ts')
  const codes = openIndex(indexAtHand())
  return {
    metadata: async (code, country) => codes.metadata(code, country),
    check: async (code, country) => codes.check(code, country),
    city: async (name, country, state) => codes.city(name, { country, state }),
  }
}

function remoteSource(client: PostrieClient): CodeSource {
  return {
    metadata: async (code, country) => (await client.metadata(code, { country }))?.meta,
    async check(postalCode, countryCode) {
      const { results } = await client.validateBulk([{ postalCode, countryCode }])
      const { valid, normalized, reason } = results[0]
      return { valid, normalized, reason } as Verdict
    },
    async city(name, country, state) {
      const answer = await client.city(name, { country, state })
      if (answer === undefined) return undefined
      const { zipcodes, matchedCity, matchedState = '', matchedST = '' } = answer
      if (matchedCity === undefined) return { zipcodes }
      return { zipcodes, matched: { city: matchedCity, state: matchedState, ST: matchedST } }
    },
  }
}
