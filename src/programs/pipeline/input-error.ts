/** Thrown for malformed input. */
export class InputError extends Error {
  override name = 'InputError'
}
