/** Errors of index files: the file when it is opened, and a value when it is read. */

const REMEDY = 'rebuild it with `postrie build`'

/** Thrown when a file is not an index of this version. The message has finding, expectation and remedy. */
export class IndexFileError extends Error {
  override name = 'IndexFileError'
  readonly path: string
  /** Finding and expectation, without the remedy. */
  readonly problem: string

  constructor(path: string, problem: string, options?: ErrorOptions) {
    super(`${path}: ${problem}; ${REMEDY}`, options)
    this.path = path
    this.problem = problem
  }
}

/** Thrown when a value in an open index leaves its section or country. The checksum may be right. */
export class DamagedIndexError extends Error {
  override name = 'DamagedIndexError'
}

/** Throws. A function of its own, so that V8 inlines those that read sections. */
export function damaged(what: string): never {
  throw new DamagedIndexError(`the index is damaged: ${what}; ${REMEDY}`)
}
