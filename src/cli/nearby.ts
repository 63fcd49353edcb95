/** `postrie nearest` and `postrie suggest`: questions without one exact answer. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { NearCode, NearestOf, Suggestions } from '../library/main.ts'
import {
  NEAREST_DEFAULT,
  NEAREST_MAX,
  RADIUS_KM_MAX,
  SUGGESTIONS_DEFAULT,
  SUGGESTIONS_MAX,
} from '../limits.ts'
import { table } from '../platform/table.ts'
import { COUNTRY_OPTION, type CodeFlags, codeSource, countryOf, REMOTE_OPTION } from './code-source.ts'
import { EXIT, UsageError } from './exit.ts'
import { example, JSON_OPTION, type JsonFlag } from './options.ts'
import { print } from './words.ts'

const NEAREST_HELP = `
<place> is a latitude and a longitude in degrees, joined by a comma, or a postal code. With a point, --country names the only
country whose codes count; with a code, the country of that code (US by default), around which codes of every country count.
The exit code is 1 when the code does not exist or its position is unknown.
`
const SUGGEST_HELP = `
<text> is the beginning of a postal code or of the name of a city. Names that are the text come first, then the larger.
`
const POINT = /^\s*([-+]?\d+(?:\.\d+)?)\s*,\s*([-+]?\d+(?:\.\d+)?)\s*$/

interface NearestFlags extends JsonFlag {
  country?: string
  count?: number
  radius?: number
  remote?: string
}

export function addNearCommands(program: Command): void {
  program
    .command('nearest <place>')
    .description('list the postal codes around a point or another code')
    // A latitude south of the equator begins as an option does.
    .allowUnknownOption()
    .allowExcessArguments()
    .addOption(new Option('--country <code>', 'two letters').argParser(countryOf))
    .addOption(countOption(NEAREST_MAX, NEAREST_DEFAULT))
    .option('--radius <km>', `only within this distance, up to ${RADIUS_KM_MAX}`, radiusOf)
    .addOption(REMOTE_OPTION)
    .addOption(JSON_OPTION)
    .addHelpText('after', NEAREST_HELP + example('postrie nearest 48.14,11.58 --radius 5'))
    .action(nearest)

  program
    .command('suggest <text>')
    .description('list the codes and cities that begin with a text')
    .addOption(COUNTRY_OPTION)
    .addOption(countOption(SUGGESTIONS_MAX, SUGGESTIONS_DEFAULT))
    .addOption(REMOTE_OPTION)
    .addOption(JSON_OPTION)
    .addHelpText('after', SUGGEST_HELP + example('postrie suggest "st. l"'))
    .action(async (text: string, { country, count, remote, json }: CodeFlags & { count?: number }) => {
      if (text.trim() === '')
        throw new UsageError('<text> is empty: the first characters of a code or a name expected')
      const found = await (await codeSource(remote)).ask('autocomplete', {
        query: text,
        country,
        limit: count,
      })
      const { codes, places } = found ?? { codes: [], places: [] }
      print(json, { codes, places }, found => suggestionsText(found, text, country))
    })
}

async function nearest(place: string, flags: NearestFlags, { args }: Command): Promise<void> {
  const { country, count, radius, remote, json } = flags
  const extra = args.find(arg => arg.startsWith('-') && !POINT.test(arg)) ?? args.at(1)
  if (extra !== undefined)
    throw new UsageError(`'${extra}' is not understood: one <place> and the options of --help expected`)
  const of = placeOf(place)
  const found = await (await codeSource(remote)).ask('nearest', { ...of, country, limit: count, radius })
  if (found !== undefined) return print(json, { results: found.results }, ({ results }) => nearText(results))
  console.error(
    `postrie: ${place} is not a postal code of ${(country ?? 'US').toUpperCase()} whose position is known`,
  )
  process.exitCode = EXIT.failed
}

/** @throws UsageError when it is neither a point on the earth nor a code */
function placeOf(text: string): NearestOf {
  const [, north, east] = POINT.exec(text) ?? []
  if (north === undefined) {
    if (text.trim() === '' || text.includes(','))
      throw new UsageError(`<place> is '${text}', a point such as 48.14,11.58 or a postal code expected`)
    return { zipcode: text }
  }
  const [latitude, longitude] = [Number(north), Number(east)]
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180)
    throw new UsageError(
      `<place> is ${text}, a latitude from -90 to 90 and then a longitude from -180 to 180 expected`,
    )
  return { latitude, longitude }
}

function countOption(max: number, fallback: number): Option {
  return new Option('--count <n>', `how many, up to ${max} (default: ${fallback})`).argParser(text => {
    const count = Number(text)
    if (!(Number.isInteger(count) && count >= 1 && count <= max))
      throw new InvalidArgumentError(`It must be 1 to ${max}.`)
    return count
  })
}

function radiusOf(text: string): number {
  const radius = Number(text)
  if (!(text.trim() !== '' && radius >= 0 && radius <= RADIUS_KM_MAX))
    throw new InvalidArgumentError(`It must be kilometres from 0 to ${RADIUS_KM_MAX}.`)
  return radius
}

function nearText(results: readonly NearCode[]): string {
  if (results.length === 0) return 'no postal code is there'
  return table(
    ['>KM', 'COUNTRY', 'CODE', 'PLACE'],
    results.map(({ distance, country, postalCode, placeName }) => [
      distance.toFixed(3),
      country,
      postalCode,
      placeName,
    ]),
  )
}

function suggestionsText({ codes, places }: Suggestions, text: string, country: string): string {
  if (codes.length + places.length === 0) return `nothing in ${country.toUpperCase()} begins with ${text}`
  const codeTable = table(
    ['CODE', 'PLACE'],
    codes.map(({ postalCode, placeName }) => [postalCode, placeName]),
  )
  const placeTable = table(
    ['PLACE', '>CODES', 'IN'],
    places.map(({ placeName, codes, areas }) => [
      placeName,
      codes,
      areas.map(({ name, code }) => name || code).join(', '),
    ]),
  )
  return [codes.length > 0 ? codeTable : '', places.length > 0 ? placeTable : '']
    .filter(part => part !== '')
    .join('\n\n')
}
