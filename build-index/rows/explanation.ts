/** Records how one code got its fields, for `postrie build --explain`. A build without it records nothing. */
import type { Row } from '../../datasets/source.ts'
import { isPlaced, type Point } from '../distance.ts'
import type { AnyCode } from './code.ts'
import type { GradedPosition, RowPosition } from './position.ts'

/** Candidate of a position, with the evidence that made its score. */
export interface ExplainedCandidate extends Point {
  /** Name of the weight that it starts with. */
  name: string
  /** Source, place of the gazetteer, or other codes that it comes from. */
  of: string
  weight: number
  /** Evidence in the order in which it is added; zeros are left out. */
  terms: readonly (readonly [evidence: string, score: number])[]
  /** NaN for one that does not count. */
  score: number
  /** Why it was chosen or not; empty if the score tells. */
  note: string
}

export interface ExplainedRow {
  source: string
  row: Row
}

export interface ExplainedStep {
  step: string
  /** Candidates, in a round of settling. */
  candidates: readonly ExplainedCandidate[]
  /** Fields after the step, where they differ from those before. */
  fields: Readonly<Record<string, string>>
}

export class Explanation {
  readonly country: string
  readonly key: string
  readonly rows: ExplainedRow[] = []
  readonly steps: ExplainedStep[] = []
  #fields: Readonly<Record<string, string>> = {}

  constructor(country: string, key: string) {
    this.country = country
    this.key = key
  }

  /** Returns true for the code that is explained. */
  isOf({ key }: AnyCode): boolean {
    return key === this.key
  }

  row(source: string, row: Row): void {
    this.rows.push({ source, row })
  }

  /** Records what `step` has changed, and the candidates of a round. */
  after(step: string, codes: Iterable<AnyCode>, candidates: readonly ExplainedCandidate[] = []): void {
    const code = [...codes].find(code => this.isOf(code))
    if (code === undefined) return
    const fields = fieldsOf(code)
    const before = this.#fields
    const changed = Object.entries(fields).filter(([name, value]) => value !== (before[name] ?? ''))
    this.#fields = fields
    if (changed.length > 0 || candidates.length > 0)
      this.steps.push({ step, candidates, fields: Object.fromEntries(changed) })
  }
}

function fieldsOf({ position, places, timezone, elevation, kind }: AnyCode) {
  const { lat, lon, accuracy = '', reachKm = 0 }: RowPosition & Partial<GradedPosition> = position
  const [{ name, admin, city }, ...others] = places
  return {
    place: name,
    'in the gazetteer':
      city === null ? '' : `${city.name}, ${city.population} people, ${city.lat},${city.lon}`,
    'further places': others.map(({ name }) => name).join(', '),
    areas: [admin.name1, admin.name2, admin.name3].map(area => area || '-').join(' / '),
    'area codes': [admin.code1, admin.code2, admin.code3].map(area => area || '-').join(' / '),
    position: isPlaced(position) ? `${lat},${lon}` : '',
    'possible error': reachKm === 0 ? '' : `${reachKm.toFixed(1)} km`,
    accuracy,
    timezone,
    elevation: Number.isNaN(elevation) ? '' : `${elevation} m`,
    kind,
  }
}
