export class InputError extends Error {
  override name = 'InputError'
}

/** Thrown for an output that cannot be written or resumed. The message names its file. */
export class OutputError extends Error {
  override name = 'OutputError'
}
