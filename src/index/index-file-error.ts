/** Errors of index files: at opening and verifying, and while records are read. */

const REMEDY = 'rebuild it with `postrie build`'

/** Thrown when a file is not an index that this version can read. The message says what was found, what was expected and what to do. */
export class IndexFileError extends Error {
  override name = 'IndexFileError'
  readonly path: string
  /** Found and expected, without the remedy. */
  readonly problem: string

  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`${path}: ${problem}; ${REMEDY}`, options)
    this.path = path
    this.problem = problem
  }
}

/** Thrown when a value in an open index leads out of its section or country, although the checksum may be right. */
export class DamagedIndexError extends Error {
  override name = 'DamagedIndexError'
}

/** Throws. Apart from the functions that read sections, so that those stay small. @throws DamagedIndexError */
export function damaged(what: string): never {
  throw new DamagedIndexError(`the index is damaged: ${what}; ${REMEDY}`)
}
