import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { ENRICHMENTS } from '../datasets/default-sources.ts'
import { releaseAreaNames } from '../datasets/reference/area-gazetteer.ts'
import { releaseCities } from '../datasets/reference/cities-500.ts'
import { countryCodes } from '../datasets/reference/country-codes.ts'
import type { Source } from '../datasets/source.ts'
import { SYNONYMS } from '../src/postal/text/country-synonyms.ts'
import { BuildReport } from './build-report.ts'
import { expectLittleLoss } from './check/loss.ts'
import { countriesIn, countryModels } from './country-models.ts'
import { knownCities, townsWithoutCodes } from './enrich/known-cities.ts'
import { type BuiltIndex, IndexBuilder } from './write/index-builder.ts'

export interface BuildOptions {
  output: string
  /** In order of merit. */
  sources: readonly Source[]
  /** ISO codes; default: all. */
  countries?: readonly string[]
  without?: readonly string[]
  /** Replaces an index that has much more. See `loss.ts`. */
  acceptLoss?: boolean
  /** Receives the step, and `done` of `total` countries. */
  onProgress?: (step: string, done: number, total: number) => void
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
 * @throws when an option names nothing, a source cannot be read, or the index does not read back the same
 */
export async function buildIndex(options: BuildOptions): Promise<BuildSummary> {
  const { output, countries, without = [], onProgress = () => {} } = options
  const started = performance.now()
  const ids = options.sources.map(({ id }) => id)
  checkNames('source', without, ids)
  const sources = options.sources.filter(({ id }) => !without.includes(id))
  checkNames('country', countries ?? [], countriesIn(sources))
  mkdirSync(dirname(output), { recursive: true })
  const report = new BuildReport()
  const builder = new IndexBuilder(sources, ENRICHMENTS)
  builder.know(knownCities())
  for await (const model of countryModels({ sources, countries, report, onCountry: onProgress })) {
    builder.add(model)
    builder.know(townsWithoutCodes(model))
  }
  releaseCities()
  releaseAreaNames()
  onProgress('verifying', 1, 1)
  const iso = countryCodes()
  const inspect = (written: string) => {
    report.notes.push(...expectLittleLoss(output, written, options.acceptLoss === true))
  }
  const built = builder.finish(output, iso, SYNONYMS, inspect)
  return {
    ...built,
    output,
    countries: report.countries.filter(({ codes }) => codes > 0).length,
    seconds: (performance.now() - started) / 1000,
    peakBytes: process.resourceUsage().maxRSS * 1024,
    report,
  }
}

function checkNames(kind: string, wanted: readonly string[], known: readonly string[]): void {
  const unknown = wanted.filter(name => !known.includes(name))
  if (unknown.length > 0) {
    throw new Error(`unknown ${kind} ${unknown.join(', ')}; known are ${[...known].sort().join(', ')}`)
  }
}
