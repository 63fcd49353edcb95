import type { CheckedCountry } from './codes.ts'

export interface Finding {
  /** Numbers of values. */
  checked: number
  wrong: number
  examples: string[]
  reasons: Record<string, number>
}

export interface Check {
  name: string
  run(country: CheckedCountry): Finding
}

const EXAMPLES_MAX = 5

export class Count implements Finding {
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
