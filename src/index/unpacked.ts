/** Values that META and RULE hold as bytes of their own, which are unpacked when somebody asks for them. */
import { unpack } from 'msgpackr/unpack'
import { damaged } from './index-file-error.ts'

/** The value in `bytes`. @param what for messages @throws DamagedIndexError when there is none, or it is not what `isRight` expects */
export function unpacked<T>(bytes: Uint8Array, what: string, isRight: (value: unknown) => value is T): T {
  let value: unknown
  try {
    value = unpack(bytes)
  } catch {
    return damaged(`${what} cannot be read`)
  }
  return isRight(value) ? value : damaged(`${what} are malformed`)
}

export function isListOf<T>(value: unknown, isItem: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(isItem)
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** Whether `value` is an object whose own values all are what `isField` expects. */
export function isMapOf<T>(
  value: unknown,
  isField: (field: unknown) => field is T,
): value is Record<string, T> {
  return typeof value === 'object' && value !== null && Object.values(value).every(isField)
}
