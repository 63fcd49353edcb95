/** The index that random questions are asked of: the default one, or the one that POSTRIE_QUESTION_INDEX names. */
import { openIndex } from '../../src/index/open-index.ts'
import type { PostalIndex } from '../../src/index/postal-index.ts'
import { DEFAULT_INDEX } from './default-index.ts'

export function questionFile(): string {
  return process.env.POSTRIE_QUESTION_INDEX ?? DEFAULT_INDEX
}

export function questionIndex(): PostalIndex {
  return openIndex(questionFile())
}

/** Number of questions: POSTRIE_QUESTIONS, or `few` for every run of the tests. */
export function questionCount(few: number): number {
  return Number(process.env.POSTRIE_QUESTIONS ?? few)
}

export function questionSeed(): number {
  return Number(process.env.POSTRIE_QUESTIONS_SEED ?? 1)
}
