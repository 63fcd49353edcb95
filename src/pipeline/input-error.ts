/** The input cannot be understood. The message names the record and says what was found and expected. */
export class InputError extends Error {
  override name = 'InputError'
}
