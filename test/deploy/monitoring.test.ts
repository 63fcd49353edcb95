import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { ENDPOINT_LABELS, REFUSAL_REASONS, STATUSES } from '../../src/service/http/labels.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { post } from '../support/post.ts'
import { TestPostgres } from '../support/postgres.ts'
import { startServer } from '../support/processes.ts'
import { pathOf, without } from '../support/programs.ts'
import { until } from '../support/until.ts'

const FOLDER = fileURLToPath(new URL('../../../deploy/monitoring/', import.meta.url))
const METRIC = /\b(?:postrie|process|nodejs)_\w+/g
/** A sample `name{label="value"} 1`, and the line with its type. */
const SAMPLE = /^([a-z_\d]+)(?:\{.*\})? \S+$/gm
const TYPE = /^# TYPE (\S+) (\S+)$/gm

const dashboard = JSON.parse(readFileSync(join(FOLDER, 'grafana.json'), 'utf8'))
const alerts = parse(readFileSync(join(FOLDER, 'alerts.yaml'), 'utf8'))
const panels: { title: string; targets: { expr: string }[] }[] = dashboard.panels
const rules: { alert: string; expr: string }[] = alerts.groups.flatMap(
  (group: { rules: unknown }) => group.rules,
)
const expressions = [
  ...panels.flatMap(panel => panel.targets.map(target => target.expr)),
  ...rules.map(rule => rule.expr),
]

/** A server with all metrics: a node of a fleet that follows an index at an unused address. */
const postgres = await TestPostgres.start()
t.teardown(() => postgres.stop())
const dir = t.testdir()
writeIndex(dir)
const server = await startServer(dir, { INDEX_URL: 'http://127.0.0.1:9/index.json', ACCOUNTS: postgres.url })
t.teardown(() => server.stop())
const metrics = async () => (await fetch(`${server.dashboard}/metrics`)).text()
// Garbage collections are reported after the first one.
await until(async () => (await metrics()).includes('nodejs_gc_duration_seconds_sum'))

t.test('every expression uses metrics that exist', async t => {
  for (let i = 0; i < 20; i++) await post(server.api, '/api/lookup', { apiKey: server.key, zipcode: '90210' })
  const text = await metrics()
  const samples = new Set(Array.from(text.matchAll(SAMPLE), match => match[1]))
  const types = new Map(Array.from(text.matchAll(TYPE), match => [match[1], match[2]] as const))
  t.ok(expressions.length > 20)
  for (const expression of expressions) {
    for (const [name] of expression.matchAll(METRIC)) {
      t.ok(samples.has(name), `${name} is reported`)
      const isRate = new RegExp(`(?:rate|increase)\\(${name}\\b`).test(expression)
      const type = types.get(name) ?? types.get(name.replace(/_(?:sum|count|bucket)$/, ''))
      t.equal(isRate, type !== 'gauge', `${name} is used as the ${type} that it is`)
    }
  }
  t.equal(Array.from(text.matchAll(TYPE)).length, types.size, 'no metric is reported twice')
})

t.test('promtool accepts the metrics', { skip: without('promtool') }, async t => {
  const options = { input: await metrics(), encoding: 'utf8' } as const
  const checked = spawnSync(pathOf('promtool'), ['check', 'metrics'], options)
  // promtool also complains about names that prom-client chose.
  const faults = checked.stderr.split('\n').filter(line => line !== '' && !line.startsWith('nodejs_active_'))
  t.same(faults, [])
})

/** A label in an expression, with its values. */
const GROUPED = /\bby \(([^)]*)\)/g
const COMPARED = /\b(\w+)=~?"([^"$]*)"/g
/** Labels that Prometheus adds or the dashboard fills in. */
const ADDED = new Set(['job', 'instance'])

t.test('every expression uses labels and values that a real server reports', async t => {
  const text = await metrics()
  for (const expression of expressions) {
    const [name] = expression.match(METRIC) ?? []
    if (name === undefined) continue
    const lines = text.split('\n').filter(line => line.startsWith(`${name}{`))
    const isReported = (label: string, value: RegExp) =>
      lines.some(line => value.test(new RegExp(`[{,]${label}="([^"]*)"`).exec(line)?.[1] ?? '\n'))
    for (const [, labels] of expression.matchAll(GROUPED))
      for (const label of labels.split(', ').filter(each => !ADDED.has(each)))
        t.ok(isReported(label, /./), `${name} has the label ${label}`)
    for (const [, label, values] of expression.matchAll(COMPARED))
      for (const value of ADDED.has(label) ? [] : values.split('|'))
        t.ok(isReported(label, new RegExp(`^${value}$`)), `${name} has ${label}="${value}"`)
  }
})

t.test('docs/operating.md lists the labels of a real server', async t => {
  const document = readFileSync(join(FOLDER, '..', '..', 'docs', 'operating.md'), 'utf8')
  const listed = (label: string) => {
    const row = new RegExp(`^\\| \`${label}\` \\| (.*?) \\|`, 'm').exec(document)?.[1] ?? ''
    return Array.from(row.matchAll(/`([^`]+)`/g), match => match[1])
  }
  t.same(listed('endpoint'), ENDPOINT_LABELS)
  t.same(listed('status'), STATUSES.map(String))
  t.same(listed('reason'), [...REFUSAL_REASONS, 'connections'])
})

t.test('every alert links to a section that explains it', async t => {
  const document = readFileSync(join(FOLDER, '..', '..', 'docs', 'operating.md'), 'utf8')
  const listed = Array.from(document.matchAll(/^\| `(Postrie\w+)` \| .{20,} \|$/gm), match => match[1])
  t.same(
    listed,
    rules.map(({ alert }) => alert),
  )
})

t.test('panels do not overlap', async t => {
  const cells = new Set(
    dashboard.panels.map(({ gridPos }: { gridPos: { x: number; y: number } }) => `${gridPos.x} ${gridPos.y}`),
  )
  t.equal(cells.size, panels.length)
  t.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
})

t.test('promtool accepts the rules', { skip: without('promtool') }, async t => {
  const checked = spawnSync(pathOf('promtool'), ['check', 'rules', join(FOLDER, 'alerts.yaml')], {
    encoding: 'utf8',
  })
  t.equal(checked.status, 0, checked.stdout + checked.stderr)
})
