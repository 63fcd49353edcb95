/** The name that `text` is, if it is one of the names of an object: for what an address says. */
export function member<T extends object>(names: T, text: string | null): keyof T | undefined {
  return text !== null && Object.hasOwn(names, text) ? (text as keyof T) : undefined
}
