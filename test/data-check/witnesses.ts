/** Positions against rows of sources that did not give them. */
import { kept } from '../../datasets/lists.ts'
import type { Source } from '../../datasets/source.ts'
import { Adjudicator, nearestKm, spotsOf, type Verdict } from './adjudicate.ts'
import { type Check, Count } from './check.ts'

export const WITNESS_KM = 20
/** An estimate that may be further off is left out of an index. */
const ESTIMATE_KM = 30
const NO_VERDICTS: Readonly<Record<Verdict, number>> = { index: 0, witness: 0, extent: 0, open: 0 }
/** A position that equals the witness's has been taken from it. */
const SAME_KM = 0.02

/**
 * Positions over 20 km from every one that `source` gives the code, and who of the two is right where a third one says so. Countries whose
 * codes are those of `source` itself, or of its family, are left out, and so is each position that was taken from it.
 * @param family identifiers of sources that copy each other
 * @param thirds sources that may decide between the two by their positions
 * @param registers sources that may do so by the names that they have for a code
 */
export function against(
  source: Source,
  sourceIds: readonly string[],
  family: readonly string[],
  thirds: readonly Source[],
  registers: readonly Source[] = [],
): Check {
  const isKin = kinship(family)
  return {
    name: `position over ${WITNESS_KM} km from ${source.id}`,
    run(checked) {
      const { cc, country, placed } = checked
      const count = new Count()
      const giver = sourceIds[country.meta.sources[0] ?? -1]
      if (!(cc in source.countries) || isKin(source.id, giver)) return count
      const spots = spotsOf(source, cc)
      const isIndependent = ({ id, countries }: Source) =>
        cc in countries && !isKin(id, source.id) && !isKin(id, giver)
      const [others, named] = [thirds.filter(isIndependent), registers.filter(isIndependent)]
      let judge: Adjudicator | undefined
      for (const code of placed) {
        const known = spots.get(code.key) ?? []
        const nearest = nearestKm(code, known)
        if (known.length === 0 || nearest < SAME_KM) continue
        const isFar = nearest > WITNESS_KM
        count.add(isFar, () => `${code.key} ${code.city} by ${Math.round(nearest)} km`)
        count.adjudged ??= { grades: new Map(), rules: new Map() }
        const { grades, rules } = count.adjudged
        const tally = kept(grades, code.grade, () => ({ of: 0, bad: 0, ...NO_VERDICTS }))
        tally.of++
        if (!isFar) continue
        judge ??= new Adjudicator(checked, source, spots, others, named)
        const { verdict, rule } = judge.verdict(code)
        tally.bad++
        tally[verdict]++
        kept(rules, rule, () => ({ ...NO_VERDICTS }))[verdict]++
      }
      return count
    },
  }
}

/** Positions that the index calls estimates, far from where `source` has the code. */
export function estimatesOff(source: Source, sourceIds: readonly string[], family: readonly string[]): Check {
  const isKin = kinship(family)
  return {
    name: `estimate over ${ESTIMATE_KM} km from ${source.id}`,
    run({ cc, country, placed }) {
      const count = new Count()
      const giver = sourceIds[country.meta.sources[0] ?? -1]
      if (!(cc in source.countries) || isKin(source.id, giver)) return count
      const spots = spotsOf(source, cc)
      for (const code of placed) {
        const km = nearestKm(code, spots.get(code.key) ?? [])
        const isJudged = code.grade === 'area' && Number.isFinite(km) && km >= SAME_KM
        if (isJudged) count.add(km > ESTIMATE_KM, () => `${code.key} ${code.city} by ${Math.round(km)} km`)
      }
      return count
    },
  }
}

/** Returns a function that is true for two sources that are one, or copy each other. */
function kinship(family: readonly string[]): (a: string, b: string) => boolean {
  return (a, b) => a === b || (family.includes(a) && family.includes(b))
}
