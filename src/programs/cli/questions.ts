/** Commands that ask one endpoint one question, with the local index or a service. */

import { type Command, InvalidArgumentError, Option } from 'commander'
import { plural } from '../../console/words.ts'
import { EXIT, UsageError } from '../../platform/exit.ts'
import { bold, escapeControls } from '../../platform/terminal.ts'
import { DEFAULT_COUNTRY } from '../../postal/index/country-table.ts'
import { EVERY_FIELD } from '../../postal/index/record-fields.ts'
import type { InvalidReason, Located } from '../../postal/library/node.ts'
import {
  NEAREST_DEFAULT,
  NEAREST_MAX,
  RADIUS_KM_MAX,
  SUGGESTIONS_DEFAULT,
  SUGGESTIONS_MAX,
} from '../../postal/limits.ts'
import {
  ENDPOINTS,
  type EndpointBody,
  type EndpointName,
  type EndpointResult,
} from '../../service/endpoints/table.ts'
import { codeSource } from '../code-source.ts'
import {
  addCommand,
  createNumberParser,
  type JsonFlag,
  parseCountry,
  print,
  REMOTE_OPTION,
} from './add-command.ts'
import { resultText } from './result-text.ts'

interface Flags extends JsonFlag {
  country?: string
  remote?: string
  state?: string
  city?: string
  count?: number
  radius?: number
}

interface Question<N extends EndpointName> {
  readonly usage: string
  readonly description: string
  readonly help: string
  readonly example: string
  readonly options: readonly Option[]
  readonly endpoint: N
  body(text: string, flags: Flags): EndpointBody<N>
  /** Returns the printed JSON. Default: the answer. */
  readonly result?: (answer: EndpointResult<N>) => object
  /** Returns the printed text. Default: a table, or a line per field. */
  readonly words?: (answer: EndpointResult<N>, text: string, flags: Flags) => string
  readonly absent?: (text: string, where: string) => string
  /** True if the exit code is 1 after this answer. */
  readonly isBad?: (answer: EndpointResult<N>) => boolean
}

const COUNTRY_OPTION = new Option('--country <country>', 'code or name')
  .default(DEFAULT_COUNTRY)
  .argParser(parseCountry)
const STATE_OPTION = new Option('--state <name>', 'a state or area, by name or code')
const REASONS: Readonly<Record<InvalidReason, string>> = {
  not_found: 'no such code',
  invalid_format: 'this cannot be a postal code anywhere',
  unknown_country: 'there is no data of this country',
}

const LOOKUP: Question<'metacode'> = {
  usage: 'lookup <code>',
  description: 'show everything known about a postal code',
  help: 'The exit code is 1 if the code does not exist.',
  example: 'postrie lookup 80331 --country DE',
  options: [COUNTRY_OPTION],
  endpoint: 'metacode',
  body: (zipcode, { country }) => ({ zipcode, country, ...EVERY_FIELD }),
  result: ({ meta }) => meta,
}

const VALIDATE: Question<'validate-bulk'> = {
  usage: 'validate <code>',
  description: 'say whether a postal code exists',
  help: "Prints the code in its country's own form. The exit code is 1 if the code does not exist.",
  example: 'postrie validate "SW1A 1AA" --country GB',
  options: [COUNTRY_OPTION],
  endpoint: 'validate-bulk',
  // The endpoint requires a text. A dash is never a code.
  body: (code, { country = '' }) => ({ records: [{ postalCode: code || '-', countryCode: country }] }),
  result: ({ results: [{ postalCode, countryCode, ...verdict }] }) => verdict,
  words: ({ results: [{ normalized, reason }] }) =>
    reason === null ? `valid: ${bold(normalized ?? '')}` : `not valid: ${REASONS[reason]}`,
  isBad: ({ results: [{ valid }] }) => !valid,
}

const VERIFY: Question<'verify'> = {
  usage: 'verify <code>',
  description: 'say whether a postal code, a city and a state belong together',
  help: 'Prints a verdict for each, and corrections. The exit code is 1 unless all match.',
  example: 'postrie verify 90210 --city "Beverly Hils" --state CA',
  options: [new Option('--city <name>', 'a city'), STATE_OPTION, COUNTRY_OPTION],
  endpoint: 'verify',
  body: (zipcode, { country, city, state }) => ({ zipcode, country, city, state }),
  isBad: ({ verdict }) => verdict !== 'match',
}

const CITY: Question<'city'> = {
  usage: 'city <name>',
  description: 'list the postal codes of a city',
  help: 'Without an equal name, the closest one is used and shown. The exit code is 1 if no city is found.',
  example: 'postrie city Springfield --state IL',
  options: [STATE_OPTION, COUNTRY_OPTION],
  endpoint: 'city',
  body: (city, { country, state }) => ({ city, country, state }),
  result: ({ zipcodes, matchedCity, matchedState = '', matchedST = '' }) => ({
    zipcodes,
    ...(matchedCity && { matched: { city: matchedCity, state: matchedState, ST: matchedST } }),
  }),
  words({ zipcodes, matchedCity, matchedState, matchedST }) {
    const area = [matchedState, matchedST && `(${matchedST})`].filter(Boolean).join(' ')
    const place = [bold(matchedCity ?? ''), area].filter(Boolean).join(', ')
    const close = matchedCity === undefined ? '' : ` of ${place}, the closest name`
    return [`${plural(zipcodes.length, 'postal code')}${close}`, ...zipcodes].join('\n')
  },
  absent: (name, where) => `no city is named ${name} in ${where}`,
}

const POINT = /^\s*([-+]?\d+(?:\.\d+)?)\s*,\s*([-+]?\d+(?:\.\d+)?)\s*$/

const NEAREST: Question<'nearest'> = {
  usage: 'nearest <place>',
  description: 'list the postal codes around a point or another code',
  help: `<place> is a postal code, or a latitude and a longitude in degrees, joined by a comma. With a point, --country limits the
results to one country. With a code, --country is the country of that code (default: US), and results are of every country.
The exit code is 1 if the code does not exist or its position is unknown.`,
  example: 'postrie nearest 48.14,11.58 --radius 5',
  options: [
    new Option('--country <country>', 'code or name').argParser(parseCountry),
    countOption(NEAREST_MAX, NEAREST_DEFAULT),
    new Option('--radius <km>', `only within this distance, up to ${RADIUS_KM_MAX}`).argParser(parseRadius),
  ],
  endpoint: 'nearest',
  body: (place, { country, count, radius }) => ({ ...parsePlace(place), country, limit: count, radius }),
  words: ({ results }) =>
    results.length === 0
      ? 'no postal code is there'
      : resultText(results, ['distance', 'country', 'postalCode', 'placeName']),
  absent: (place, where) => `${place} is not a postal code of ${where} whose position is known`,
}

const SUGGEST: Question<'autocomplete'> = {
  usage: 'suggest <text>',
  description: 'list the codes and cities that begin with a text',
  help: '<text> is the beginning of a postal code or of the name of a city. Exact names come first, then larger cities.',
  example: 'postrie suggest "st. l"',
  options: [COUNTRY_OPTION, countOption(SUGGESTIONS_MAX, SUGGESTIONS_DEFAULT)],
  endpoint: 'autocomplete',
  body(query, { country, count }) {
    if (query.trim() === '')
      throw new UsageError('<text> is empty: expected the first characters of a code or a name')
    return { query, country, limit: count }
  },
  words({ codes, places }, text, { country = '' }) {
    if (codes.length + places.length === 0) return `nothing in ${country.toUpperCase()} begins with ${text}`
    const named = places.map(({ placeName, codes, areas }) => ({
      placeName,
      codes,
      areas: areas.map(({ name, code }) => name || code),
    }))
    return [codes, named]
      .filter(({ length }) => length > 0)
      .map(rows => resultText(rows))
      .join('\n\n')
  },
}

export function addCommands(program: Command): void {
  add(program, LOOKUP)
  add(program, VALIDATE)
  add(program, VERIFY)
  add(program, CITY)
  // A latitude south of the equator begins with a dash, like an option.
  add(program, NEAREST).allowUnknownOption().allowExcessArguments()
  add(program, SUGGEST)
}

function add<N extends EndpointName>(program: Command, question: Question<N>): Command {
  const { usage, description, help, endpoint } = question
  const command = addCommand(program, usage, {
    summary: description,
    example: question.example,
    help: `\n${help}\n`,
  })
  for (const option of [...question.options, REMOTE_OPTION]) command.addOption(option)
  return command.action(async (text: string, flags: Flags, { args }: Command) => {
    const unknown = args.find(arg => arg.startsWith('-') && !POINT.test(arg)) ?? args.at(1)
    if (unknown !== undefined)
      throw new UsageError(
        `'${unknown}' is not understood: expected one ${usage.split(' ')[1]} and options listed by --help`,
      )
    const { ask } = await codeSource(flags.remote)
    const answer = await ask(endpoint, question.body(text, flags))
    if (answer === undefined) {
      const country = (flags.country ?? DEFAULT_COUNTRY).toUpperCase()
      const where = flags.state === undefined ? country : `${flags.state}, ${country}`
      const absent = question.absent?.(text, where) ?? `${text} is not a known postal code of ${where}`
      console.error(`postrie: ${escapeControls(absent)}`)
    } else {
      const result = question.result?.(answer) ?? withoutEnding(endpoint, answer)
      print(flags.json, result, () => question.words?.(answer, text, flags) ?? resultText(result))
    }
    if (answer === undefined || question.isBad?.(answer)) process.exitCode = EXIT.failed
  })
}

/** Removes the balance, limits and times that a service adds to an answer. */
function withoutEnding(name: EndpointName, answer: object): object {
  const { answer: members } = ENDPOINTS[name]
  return Object.fromEntries(Object.entries(answer).filter(([field]) => field in members))
}

/** Parses a point or a code. @throws UsageError if `text` is neither */
function parsePlace(text: string): Located {
  const [, north, east] = POINT.exec(text) ?? []
  if (north === undefined) {
    if (text.trim() === '' || text.includes(','))
      throw new UsageError(`<place> is '${text}': expected a point such as 48.14,11.58, or a postal code`)
    return { zipcode: text }
  }
  const [latitude, longitude] = [Number(north), Number(east)]
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180)
    throw new UsageError(
      `<place> is ${text}: expected a latitude from -90 to 90, then a longitude from -180 to 180`,
    )
  return { latitude, longitude }
}

function countOption(max: number, fallback: number): Option {
  return new Option('--count <n>', `how many, up to ${max} (default: ${fallback})`).argParser(
    createNumberParser(1, max),
  )
}

function parseRadius(text: string): number {
  const radius = Number(text)
  if (!(text.trim() !== '' && radius >= 0 && radius <= RADIUS_KM_MAX))
    throw new InvalidArgumentError(`It must be kilometres from 0 to ${RADIUS_KM_MAX}.`)
  return radius
}
