/** What is wrong with an index file, found when it is opened, verified or read. */

const REMEDY = 'rebuild it with `postrie build`'

/** The file is not an index that this version can read. The message says what was found, what was expected and what to do. */
export class IndexFileError extends Error {
  override name = 'IndexFileError'
  readonly path: string
  /** What was found and expected, without the remedy. */
  readonly problem: string

  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`${path}: ${problem}; ${REMEDY}`, options)
    this.path = path
    this.problem = problem
  }
}

/**
 * A value in an open index contradicts the rest of it, although its checksum may be right. The functions that read sections
 * throw it where they would otherwise leave a section or a country's range.
 */
export class DamagedIndexError extends Error {
  override name = 'DamagedIndexError'
}

/** Kept out of the functions that read sections, so that those stay small. @throws DamagedIndexError */
export function damaged(what: string): never {
  throw new DamagedIndexError(`the index is damaged: ${what}; ${REMEDY}`)
}
