import { bold } from '../../src/platform/terminal.ts'
import { table } from '../../src/platform/text-table.ts'
import type { BuildSummary } from '../build/build.ts'

export function summaryText(summary: BuildSummary): string {
  const { codes, places, aliases, cities, countries, bytes, seconds, peakBytes, output, buildId } = summary
  const head = [
    `${bold(number(codes))} postal codes of ${countries} countries`,
    `${number(places)} places, ${number(aliases)} other names, ${number(cities)} city names to search`,
    `${number(bytes)} bytes, ${(bytes / codes).toFixed(1)} a code, in ${output}`,
    `${seconds.toFixed(1)} s, ${Math.round(peakBytes / 1e6)} MB at most; build ${buildId}`,
  ]
  const sections = Object.entries(summary.sectionBytes).map(([name, size]) => [
    name,
    number(size),
    (size / codes).toFixed(2),
  ])
  return [
    ...head,
    '',
    table(['section', '>bytes', '>a code'], sections),
    ...sources(summary),
    ...skipped(summary),
    ...notes(summary),
  ].join('\n')
}

/** Rows by source. A low number shows that a source was cut short. */
function sources({ report }: BuildSummary): string[] {
  const counts = Object.entries(report.rowsBySource).filter(([, rows]) => rows > 0)
  const rows = counts.map(([source, rows]) => [source, number(rows)])
  return rows.length === 0 ? [] : ['', table(['source', '>rows'], rows)]
}

function skipped({ report }: BuildSummary): string[] {
  if (report.skippedCount === 0) return []
  const shown = report.skipped.map(({ source, reason }) => `  ${source}: ${reason}`)
  const more = report.skippedCount - shown.length
  return [
    '',
    bold(`${number(report.skippedCount)} rows left out`),
    ...shown,
    ...(more > 0 ? [`  and ${number(more)} more`] : []),
  ]
}

function notes({ report }: BuildSummary): string[] {
  return report.notes.length === 0 ? [] : ['', bold('Warnings'), ...report.notes.map(note => `  ${note}`)]
}

function number(value: number): string {
  return value.toLocaleString('en-US')
}
