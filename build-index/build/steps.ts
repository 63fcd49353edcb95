/** A sequence of steps whose types fit. */
import type { Country } from '../areas/country.ts'
import type { AnyCode } from '../rows/code.ts'

/** Returns the codes of a country as they are after the step. Changes none of `codes`; what it learns of a place, all codes of the place have. */
type Step<From, To> = (codes: readonly From[], country: Country) => readonly To[]

export class Steps<From extends AnyCode, To extends AnyCode> {
  readonly #steps: readonly Step<never, AnyCode>[]

  private constructor(steps: readonly Step<never, AnyCode>[]) {
    this.#steps = steps
  }

  static from<From extends AnyCode, To extends AnyCode>(step: Step<From, To>): Steps<From, To> {
    return new Steps<From, To>([step])
  }

  next<Next extends AnyCode>(step: Step<To, Next>): Steps<From, Next> {
    return new Steps<From, Next>([...this.#steps, step])
  }

  /** Returns the codes of `first` after all steps. Releases those before: a large country would take its memory twice. */
  take(first: { codes: readonly From[] }, country: Country): readonly To[] {
    let taken: readonly AnyCode[] = first.codes
    first.codes = []
    for (const step of this.#steps) {
      taken = step(taken as readonly never[], country)
      country.explanation?.after(step.name, taken)
    }
    return taken as readonly To[]
  }
}
