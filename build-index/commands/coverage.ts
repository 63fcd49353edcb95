import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { EXPECTED_CODES } from '../../datasets/reference/expected-codes.ts'
import { readConfig } from '../../src/platform/settings/config.ts'
import { bold } from '../../src/platform/terminal.ts'
import { table } from '../../src/platform/text-table.ts'
import type { CountryMeta, SourceMeta } from '../../src/postal/format/meta.ts'
import { withIndex } from '../../src/postal/index/open-index.ts'
import {
  type Absence,
  absentCountries,
  countriesOf,
  creditsOf,
  sourcesOf,
} from '../../src/postal/index/postal-index.ts'
import { countryLetters } from '../../src/postal/library/country-texts.ts'
import { BUILDER_COMMANDS } from '../../src/programs/builder-commands.ts'
import { existingIndex } from './existing-index.ts'

const HELP = `
Columns:
  complete   full: at least 99 percent of the codes that the country has (--json: expected)
             short codes: only the beginnings of codes, such as SW1A for SW1A 1AA
             partial: not all codes
  position, zone, height   share of the codes that have it
  form       how codes are written, such as ### ## with # for each character; + and what may follow: N a digit,
             A a letter, X either.
             Empty: as they are stored
  No data          countries that have postal codes, but none in the index
  No postal codes  countries whose post has none, as libaddressinput and the posts publish
  sources    the first gave the codes, the others filled gaps

Example:
  $ postrie coverage --json | jq '.countries[] | select(.completeness == "full") | .country'`

export function addCoverageCommand(program: Command): void {
  program
    .command('coverage')
    .description(BUILDER_COMMANDS.coverage)
    .argument('[index or country]', 'index file, or a country of INDEX_FILE; default: all of INDEX_FILE')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action((asked: string | undefined, { json }: { json?: boolean }) => {
      const country = asked === undefined || existsSync(asked) ? undefined : countryLetters(asked)
      const file = asked === undefined || country !== undefined ? readConfig(process.env).indexFile : asked
      const coverage = readCoverage(existingIndex(file), country)
      process.stdout.write(`${json === true ? JSON.stringify(coverage) : coverageText(coverage)}\n`)
    })
}

/** The document of `--json`. */
type Coverage = ReturnType<typeof readCoverage>

/** @throws Error when the index has no codes of `country` */
function readCoverage(indexFile: string, country?: string) {
  return withIndex(indexFile, index => {
    const isAsked = (cc: string) => country === undefined || cc === country
    const countries = countriesOf(index).filter(({ meta }) => isAsked(meta.cc))
    const others = absentCountries(index).filter(other => isAsked(other.country))
    if (countries.length === 0 && others.length === 1)
      throw new Error(`${indexFile} has no codes of ${country}: ${others[0].absence}`)
    const { buildId, dataDayMs, codeCount } = index.file
    const sources = sourcesOf(index)
    return {
      indexFile,
      buildId,
      // Day of the newest source; null if unknown.
      dataDay: dataDayMs === 0 ? null : new Date(dataDayMs).toISOString().slice(0, 10),
      codes: country === undefined ? codeCount : countries[0].meta.codeCount,
      countries: countries.map(({ meta }) => countryCoverage(meta, sources)),
      // Countries of ISO 3166-1 without codes here.
      others,
      sources,
      credits: creditsOf(index),
    }
  })
}

function countryCoverage(country: CountryMeta, sources: readonly SourceMeta[]) {
  const { cc, codeCount, placeCount, completeness, padTo, prefixes, tails, partTails, masks } = country
  return {
    country: cc,
    codes: codeCount,
    places: placeCount,
    completeness,
    // Published number of codes; null if unknown.
    expected: EXPECTED_CODES[cc] ?? null,
    // Shares of codes with the field, 0 to 1.
    withPosition: country.positions / codeCount,
    withTimezone: country.zoned / codeCount,
    withElevation: country.elevated / codeCount,
    sources: country.sources.map(i => sources[i].id),
    padTo,
    prefixes,
    // Shapes: `NAA` for a digit and two letters.
    tails: [...new Set([...tails, ...partTails].map(shapeOfTail))],
    masks,
  }
}

function shapeOfTail(tail: readonly string[]): string {
  return tail.map(signs => (/^\d+$/.test(signs) ? 'N' : /\d/.test(signs) ? 'X' : 'A')).join('')
}

function coverageText({ codes, countries, others, sources, credits, dataDay, buildId }: Coverage): string {
  const percent = (share: number) => `${Math.floor(share * 100)}%`
  const rows = countries.map(country => [
    country.country,
    ...[country.codes, country.places].map(count => count.toLocaleString('en-US')),
    country.completeness,
    ...[country.withPosition, country.withTimezone, country.withElevation].map(percent),
    [...country.masks, ...country.tails.map(tail => `+${tail}`)].join(' '),
    country.sources.join(', '),
  ])
  const heads = 'country >codes >places complete >position >zone >height form sources'.split(' ')
  const usedIn = ({ id }: SourceMeta) => countries.filter(country => country.sources.includes(id))
  const credit = ({ id, licence, date, attribution }: SourceMeta, where: string) => [
    id,
    licence,
    date,
    where,
    attribution,
  ]
  const listed = [
    ...sources.map(source => credit(source, someCountries(usedIn(source)))),
    ...credits.map(source => credit(source, 'enrichment')),
  ]
  return [
    `${bold(codes.toLocaleString('en-US'))} postal codes of ${countries.length === 1 ? '1 country' : `${countries.length} countries`}, data of ${dataDay ?? 'unknown date'}, build ${buildId}`,
    '',
    table(heads, rows),
    '',
    ...absentText(others, sources),
    bold('Sources'),
    table(['source', 'licence', 'date', 'used in', 'credit'], listed),
    '',
    'Show each credit where you show its data; addresses are in --json. ODbL and CC-BY-SA ask that derived data stay under them.',
  ].join('\n')
}

/** Returns the lines about countries without data or with little; none for a single country. */
function absentText(others: Coverage['others'], sources: readonly SourceMeta[]): string[] {
  if (others.length === 0) return []
  const isWhole = sources.some(({ id }) => id === 'geonames')
  return [
    `No data: ${named(others, 'no data')}`,
    `No postal codes: ${named(others, 'no postal codes')}`,
    ...(isWhole ? [] : ['Some countries are thin without --source geonames: the README names them']),
    '',
  ]
}

function named(others: Coverage['others'], reason: Absence): string {
  const countries = others.filter(({ absence }) => absence === reason).map(({ country }) => country)
  return countries.length === 0 ? 'none' : countries.join(' ')
}

function someCountries(countries: Coverage['countries']): string {
  return countries.length > 3
    ? `${countries.length} countries`
    : countries.map(({ country }) => country).join(' ')
}
