import type { CheckedCountry } from './codes.ts'

export type Check = ReturnType<typeof counting>

/** Makes a check that counts the values of a country. */
export function counting(name: string, run: (country: CheckedCountry, count: Count) => void) {
  return { name, run }
}

const EXAMPLES_MAX = 5

export class Count {
  /** Numbers of values. */
  checked = 0
  wrong = 0
  readonly examples: string[] = []
  readonly reasons: Record<string, number> = {}

  /** Counts one value. `problem` describes a wrong one. */
  add(isWrong: boolean, problem: () => string, reason: () => string = () => ''): void {
    this.checked++
    if (!isWrong) return
    this.wrong++
    if (reason() !== '') this.reasons[reason()] = (this.reasons[reason()] ?? 0) + 1
    if (this.examples.length < EXAMPLES_MAX) this.examples.push(problem())
  }
}
