import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { ENRICHMENTS } from '../../datasets/default-sources.ts'
import { countryCodes } from '../../datasets/reference/country-codes.ts'
import type { OnProgress, Source } from '../../datasets/source.ts'
import { SYNONYMS } from '../../src/postal/text/country-synonyms.ts'
import { BuildReport } from '../build-report.ts'
import { expectLittleLoss } from '../check/loss.ts'
import { knownCities } from '../fields/known-cities.ts'
import { type BuiltIndex, IndexBuilder } from '../write/index-builder.ts'
import { unpackModel } from './packed-model.ts'
import { type BuiltCountry, countriesIn, unionsOf } from './stages.ts'
import { buildUnions, weightOf } from './threads.ts'

export interface BuildOptions {
  output: string
  /** In order of merit. */
  sources: readonly Source[]
  /** ISO codes; default: all. */
  countries?: readonly string[]
  /** Replaces an index that has much more. See `loss.ts`. */
  acceptLoss?: boolean
  /** Number of countries that are built side by side; default: 1. */
  threads?: number
  onProgress?: OnProgress
}

export interface BuildSummary extends BuiltIndex {
  output: string
  countries: number
  seconds: number
  peakBytes: number
  report: BuildReport
}

/**
 * Builds an index, verifies it, then replaces the file at `output`.
 * @throws for a country without rows, when a source cannot be read, or the index cannot be read back
 */
export async function buildIndex(options: BuildOptions): Promise<BuildSummary> {
  const { output, sources, onProgress = () => {} } = options
  const started = performance.now()
  const countries = countriesIn(sources)
  checkNames('country', options.countries ?? [], countries)
  mkdirSync(dirname(output), { recursive: true })
  const report = new BuildReport(sources)
  const builder = new IndexBuilder(sources, ENRICHMENTS)
  const wanted = countries.filter(country => options.countries?.includes(country) ?? true)
  onProgress('reading packages', 0, 1)
  for await (const { model, towns } of builtCountries(wanted, sources, report, options.threads, onProgress)) {
    builder.add(unpackModel(model))
    builder.know(towns)
  }
  builder.know(knownCities())
  onProgress('verifying', 1, 1)
  const index = await builder.finish(output, countryCodes(), SYNONYMS, written => {
    report.notes.push(...expectLittleLoss(output, written, options.acceptLoss === true))
  })
  return {
    ...index,
    output,
    countries: report.countries.filter(({ codes }) => codes > 0).length,
    seconds: (performance.now() - started) / 1000,
    peakBytes: process.resourceUsage().maxRSS * 1024,
    report,
  }
}

/**
 * Yields `countries` that have codes, in their order. They ascend.
 * @throws when a source cannot be read, or has too many bad rows
 */
export async function* builtCountries(
  countries: readonly string[],
  sources: readonly Source[],
  report: BuildReport,
  threads = 1,
  onProgress: OnProgress = () => {},
): AsyncIterable<BuiltCountry> {
  for (const source of sources) report.addFaults(source)
  const unions = unionsOf(countries)
  const total = unions.reduce((sum, union) => sum + weightOf(union, sources), 0)
  let done = 0
  // A member comes with its post, and may have to wait for countries before it.
  const waiting = new Map<string, BuiltCountry | undefined>()
  let next = 0
  let count = 0
  for await (const built of buildUnions(unions, sources, threads)) {
    const union = unions[count++]
    done += weightOf(union, sources)
    onProgress(`${count} of ${unions.length} posts built`, done, total)
    report.merge(built.report)
    for (const country of union.countries)
      waiting.set(
        country,
        built.countries.find(found => found.country === country),
      )
    for (; next < countries.length && waiting.has(countries[next]); next++) {
      const country = waiting.get(countries[next])
      waiting.delete(countries[next])
      if (country !== undefined) yield country
    }
  }
  report.check()
}

/** Returns `sources` without some, by their names. @throws for an unknown name */
export function sourcesWithout(sources: readonly Source[], names: readonly string[]): readonly Source[] {
  const ids = sources.map(({ id }) => id)
  checkNames('source', names, ids)
  return sources.filter(({ id }) => !names.includes(id))
}

function checkNames(kind: string, wanted: readonly string[], known: readonly string[]): void {
  const unknown = wanted.filter(name => !known.includes(name))
  if (unknown.length > 0) {
    throw new Error(`unknown ${kind} ${unknown.join(', ')}; known are ${[...known].sort().join(', ')}`)
  }
}
