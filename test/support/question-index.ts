/** The index for random questions: the default one, or POSTRIE_QUESTION_INDEX. */
import { openIndex } from '../../src/postal/index/open-index.ts'
import type { PostalIndex } from '../../src/postal/index/postal-index.ts'
import { DEFAULT_INDEX } from './default-index.ts'

export function questionFile(): string {
  return process.env.POSTRIE_QUESTION_INDEX ?? DEFAULT_INDEX
}

export function questionIndex(): PostalIndex {
  return openIndex(questionFile())
}

/** Returns POSTRIE_QUESTIONS, by default `few`. */
export function questionCount(few: number): number {
  return wholeNumber('POSTRIE_QUESTIONS', few)
}

export function questionSeed(): number {
  return wholeNumber('POSTRIE_QUESTIONS_SEED', 1)
}

function wholeNumber(name: string, fallback: number): number {
  const number = Number(process.env[name] ?? fallback)
  if (!Number.isSafeInteger(number))
    throw new Error(`${name} is ${process.env[name]}, a whole number expected`)
  return number
}
