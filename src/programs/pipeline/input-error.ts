export class InputError extends Error {
  override name = 'InputError'
}
