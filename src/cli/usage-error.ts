/** The command was called wrongly, in a way that only running it shows. The message says what was found and expected. */
export class UsageError extends Error {
  override name = 'UsageError'
}
