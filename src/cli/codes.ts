/** `postrie lookup`, `postrie validate` and `postrie city`: single questions, without a server. */
import type { Command } from 'commander'
import type { EndpointResult } from '../endpoints/table.ts'
import { EVERY_FIELD } from '../index/record-fields.ts'
import type { CityCodes, Metadata, Verdict } from '../library/main.ts'
import { bold, dim } from '../platform/terminal.ts'
import { COUNTRY_OPTION, type CodeFlags, codeSource, REMOTE_OPTION } from './code-source.ts'
import { EXIT } from './exit.ts'
import { example, JSON_OPTION } from './options.ts'
import { print } from './words.ts'

const LOOKUP_HELP = `
Prints everything that the index has. The exit code is 1 when the code does not exist.
`
const VALIDATE_HELP = `
Prints the code in its country's own form. The exit code is 1 when the code does not exist.
`
const CITY_HELP = `
--state takes the name or the code of a state or another area. A close name is taken when none is equal, and is shown.
The exit code is 1 when there is no such city.
`
const NOT_VALID = { valid: false, normalized: null, reason: 'not_found' } as const
/** Columns of a list of codes, where the terminal does not say how wide it is. */
const WIDTH = 80

export function addCodeCommands(program: Command): void {
  program
    .command('lookup <code>')
    .description('show what is known of a postal code')
    .addOption(COUNTRY_OPTION)
    .addOption(REMOTE_OPTION)
    .addOption(JSON_OPTION)
    .addHelpText('after', LOOKUP_HELP + example('postrie lookup 80331 --country DE'))
    .action(async (code: string, { country, remote, json }: CodeFlags) => {
      const found = await (await codeSource(remote)).ask('metacode', {
        zipcode: code,
        country,
        ...EVERY_FIELD,
      })
      if (found === undefined) endEmpty(`${code} is not a known postal code of ${country.toUpperCase()}`)
      else print(json, found.meta, metadataText)
    })

  program
    .command('validate <code>')
    .description('say whether a postal code exists')
    .addOption(COUNTRY_OPTION)
    .addOption(REMOTE_OPTION)
    .addOption(JSON_OPTION)
    .addHelpText('after', VALIDATE_HELP + example('postrie validate "SW1A 1AA" --country GB'))
    .action(async (code: string, { country, remote, json }: CodeFlags) => {
      const source = await codeSource(remote)
      const answer = await source.ask('validate-bulk', {
        records: [{ postalCode: code, countryCode: country }],
      })
      const { valid, normalized, reason } = answer?.results[0] ?? NOT_VALID
      const verdict = { valid, normalized, reason } as Verdict
      print(json, verdict, verdictText)
      if (!verdict.valid) process.exitCode = EXIT.failed
    })

  program
    .command('city <name>')
    .description('list the postal codes of a city')
    .option('--state <name>', 'only in this state or area')
    .addOption(COUNTRY_OPTION)
    .addOption(REMOTE_OPTION)
    .addOption(JSON_OPTION)
    .addHelpText('after', CITY_HELP + example('postrie city Springfield --state IL'))
    .action(async (name: string, { country, remote, json, state }: CodeFlags & { state?: string }) => {
      const found = await (await codeSource(remote)).ask('city', { city: name, country, state })
      if (found === undefined) {
        const where = state === undefined ? country.toUpperCase() : `${state}, ${country.toUpperCase()}`
        endEmpty(`no city is named ${name} in ${where}`)
      } else print(json, cityOf(found), cityText)
    })
}

/** As the library has it. */
function cityOf({ zipcodes, matchedCity, matchedState, matchedST }: EndpointResult<'city'>): CityCodes {
  if (matchedCity === undefined) return { zipcodes }
  return { zipcodes, matched: { city: matchedCity, state: matchedState ?? '', ST: matchedST ?? '' } }
}

function endEmpty(message: string): void {
  console.error(`postrie: ${message}`)
  process.exitCode = EXIT.failed
}

function metadataText(meta: Metadata): string {
  const rows = Object.entries(meta)
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${dim(name.padEnd(width))}  ${value}`).join('\n')
}

function verdictText({ valid, normalized, reason }: Verdict): string {
  return valid ? `valid: ${bold(normalized)}` : `not valid: ${REASONS[reason]}`
}

const REASONS = {
  not_found: 'no such code',
  invalid_format: 'this cannot be a postal code anywhere',
  unknown_country: 'there is no data of this country',
} as const

function cityText({ zipcodes, matched }: CityCodes): string {
  const count = `${zipcodes.length} postal ${zipcodes.length === 1 ? 'code' : 'codes'}`
  const area = [matched?.state, matched?.ST && `(${matched.ST})`].filter(Boolean).join(' ')
  const head =
    matched === undefined
      ? count
      : `${count} of ${bold(matched.city)}${area === '' ? '' : `, ${area}`}, the closest name`
  return `${head}\n${inColumns(zipcodes)}`
}

/** Fills lines to the width of the terminal. */
function inColumns(texts: readonly string[]): string {
  const width = Math.max(...texts.map(text => text.length)) + 2
  const perLine = Math.max(1, Math.floor((process.stdout.columns ?? WIDTH) / width))
  const lines: string[] = []
  for (let at = 0; at < texts.length; at += perLine) {
    const line = texts.slice(at, at + perLine).map(text => text.padEnd(width))
    lines.push(line.join('').trimEnd())
  }
  return lines.join('\n')
}
