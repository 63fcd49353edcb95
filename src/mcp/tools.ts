/** What agents can ask: the tools of the MCP server, with what goes in and out of each. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import type { CodeSource, NearestOf } from '../client/code-source.ts'
import {
  NAME_LENGTH_MAX,
  NEAREST_DEFAULT,
  NEAREST_MAX,
  RADIUS_KM_MAX,
  SUGGESTIONS_DEFAULT,
} from '../limits.ts'

/** Records of one call: more would fill an agent's context. */
const RECORDS_MAX = 200
/** Codes of a city that are listed, unless the agent asks for more or fewer. */
const CITY_CODES = 100
const CITY_CODES_MAX = 5000
const CODE_TEXT_MAX = 64
/** Codes, and cities, that are suggested at most. */
const SUGGESTED_MAX = 20

const code = z.string().min(1).max(CODE_TEXT_MAX).describe('Postal code, with or without separators')
const country = z
  .string()
  .regex(/^[A-Za-z]{2}$/)
  .describe('ISO 3166-1 alpha-2 code of the country')
/** Every tool only reads, and the same question has the same answer. */
const READ_ONLY = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }

/** A server that answers from `source`. @param version of this package */
export function createMcpServer(source: CodeSource, version: string): McpServer {
  const server = new McpServer({ name: 'postrie', title: 'Postal codes of the world', version })

  server.registerTool(
    'lookup_postal_code',
    {
      title: 'Look up a postal code',
      description:
        'Everything known of one postal code: place, region, coordinates, time zone, elevation. Fields that are unknown are absent.',
      inputSchema: { code, country: country.default('US') },
      outputSchema: {
        found: z.boolean(),
        meta: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
      },
      annotations: READ_ONLY,
    },
    async ({ code, country }) => {
      const meta = await source.metadata(code, country)
      return answer(meta === undefined ? { found: false } : { found: true, meta })
    },
  )

  server.registerTool(
    'validate_postal_codes',
    {
      title: 'Validate postal codes',
      description:
        'Whether each of up to 200 postal codes exists, its written form, or why not: not_found, invalid_format (it cannot be a ' +
        'postal code anywhere) or unknown_country (no data). Results are in the order of the records.',
      inputSchema: { records: z.array(z.object({ code, country })).min(1).max(RECORDS_MAX) },
      outputSchema: {
        results: z.array(
          z.object({
            code: z.string(),
            country: z.string(),
            valid: z.boolean(),
            normalized: z.string().nullable(),
            reason: z.string().nullable(),
          }),
        ),
      },
      annotations: READ_ONLY,
    },
    async ({ records }) => {
      const asked = records.map(({ code, country }) => ({ postalCode: code, countryCode: country }))
      const verdicts = await source.check(asked)
      const results = records.map(({ code, country }, i) => ({
        code,
        country: country.toUpperCase(),
        ...verdicts[i],
      }))
      return answer({ results })
    },
  )

  server.registerTool(
    'find_city_postal_codes',
    {
      title: 'Find the postal codes of a city',
      description:
        'The postal codes of a city. When no name is equal, a close one is taken and named in `matched`. In the US a state is needed.',
      inputSchema: {
        city: z.string().min(1).max(NAME_LENGTH_MAX),
        country: country.default('US'),
        state: z.string().max(NAME_LENGTH_MAX).optional().describe('Name or code of a state or another area'),
        limit: z.number().int().min(1).max(CITY_CODES_MAX).default(CITY_CODES).describe('Most codes to list'),
      },
      outputSchema: {
        found: z.boolean(),
        total: z.number(),
        codes: z.array(z.string()),
        matched: z.object({ city: z.string(), state: z.string(), ST: z.string() }).optional(),
      },
      annotations: READ_ONLY,
    },
    async ({ city, country, state, limit }) => {
      if (country.toUpperCase() === 'US' && (state ?? '') === '')
        return problem('In the US a city needs its state: many names are in several states.')
      const found = await source.city(city, country, state)
      if (found === undefined) return answer({ found: false, total: 0, codes: [] })
      const { zipcodes, matched } = found
      return answer({ found: true, total: zipcodes.length, codes: zipcodes.slice(0, limit), matched })
    },
  )

  server.registerTool(
    'find_nearest_postal_codes',
    {
      title: 'Find the nearest postal codes',
      description:
        'The postal codes around a point (latitude and longitude) or around a postal code, the nearest first, with distances in ' +
        'kilometres. `country` is the country of the code, US by default, or with a point the only country whose codes count.',
      inputSchema: {
        latitude: z.number().min(-90).max(90).optional().describe('Degrees; with longitude, instead of code'),
        longitude: z.number().min(-180).max(180).optional(),
        code: code.optional(),
        country: country.optional(),
        radius: z
          .number()
          .min(0)
          .max(RADIUS_KM_MAX)
          .optional()
          .describe('Kilometres; any distance if absent'),
        limit: z.number().int().min(1).max(NEAREST_MAX).default(NEAREST_DEFAULT),
      },
      outputSchema: {
        found: z.boolean(),
        results: z.array(
          z.object({
            postalCode: z.string(),
            country: z.string(),
            placeName: z.string(),
            latitude: z.number(),
            longitude: z.number(),
            distance: z.number(),
          }),
        ),
      },
      annotations: READ_ONLY,
    },
    async ({ latitude, longitude, code, country, radius, limit }) => {
      const of = placeOf(latitude, longitude, code)
      if (of === undefined) return problem('Give either latitude and longitude, or code.')
      const results = await source.nearest(of, { country, radius, limit })
      return answer({ found: results !== undefined, results: results ?? [] })
    },
  )

  server.registerTool(
    'suggest_postal_codes',
    {
      title: 'Suggest postal codes and cities',
      description:
        'The postal codes and the cities of a country that begin with a text. Use it when only a part of a code or a name is ' +
        'known. A city comes with the number of its codes and the regions in which it is.',
      inputSchema: {
        text: z.string().min(1).max(NAME_LENGTH_MAX).describe('First characters of a code or of a city'),
        country: country.default('US'),
        limit: z.number().int().min(1).max(SUGGESTED_MAX).default(SUGGESTIONS_DEFAULT),
      },
      outputSchema: {
        codes: z.array(
          z.object({
            postalCode: z.string(),
            placeName: z.string(),
            latitude: z.number().optional(),
            longitude: z.number().optional(),
          }),
        ),
        places: z.array(
          z.object({
            placeName: z.string(),
            codes: z.number(),
            areas: z.array(z.object({ name: z.string(), code: z.string() })),
          }),
        ),
      },
      annotations: READ_ONLY,
    },
    async ({ text, country, limit }) => answer(await source.suggest(text, { country, limit })),
  )

  server.registerTool(
    'postal_code_coverage',
    {
      title: 'Which countries have postal codes',
      description:
        'How many postal codes are known, and of which countries. Where `completeness` is partial, a code that is not found may ' +
        'exist; where it is short codes, only the beginning of a code is known.',
      inputSchema: { country: country.optional().describe('Only this country') },
      outputSchema: {
        summary: z.string(),
        countries: z
          .array(z.object({ country: z.string(), codes: z.number(), completeness: z.string() }))
          .optional(),
      },
      annotations: READ_ONLY,
    },
    async ({ country }) => {
      const { summary, countries } = await source.coverage()
      const wanted = country?.toUpperCase()
      return answer({
        summary,
        countries: countries?.filter(each => wanted === undefined || each.country === wanted),
      })
    },
  )
  return server
}

/** Undefined unless it is either a whole point or a code. */
function placeOf(
  latitude: number | undefined,
  longitude: number | undefined,
  code: string | undefined,
): NearestOf | undefined {
  if (code === undefined)
    return latitude !== undefined && longitude !== undefined ? { latitude, longitude } : undefined
  return latitude === undefined && longitude === undefined ? { zipcode: code } : undefined
}

/** An answer for programs, and the same as text for models that read nothing else. */
function answer(value: object): CallToolResult {
  const structuredContent = JSON.parse(JSON.stringify(value)) as Record<string, unknown>
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent }
}

function problem(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}
