/** Forms of codes by the posts of the world, and details on a code that is not found. */
import type { PackedPost } from '../format/meta.ts'
import { isListOf, isMapOf, isText, unpacked } from './meta-section.ts'

/** Details: no form of the country; no codes of the country in the index; its post has no codes. */
export const DETAILS = ['wrong_format', 'no_data', 'no_postal_codes'] as const
export type Detail = (typeof DETAILS)[number]

export type PostTable = ReturnType<typeof postTable>

/** @param packed field `posts` of META, unpacked on first use */
export function postTable(packed: Uint8Array) {
  let posts: Readonly<Record<string, PackedPost>> | undefined
  const keys = new Map<string, RegExp | null>()

  /** Returns the post of a country; undefined if it has no codes. @throws DamagedIndexError */
  const of = (cc: string): PackedPost | undefined => {
    posts ??= unpacked(packed, 'the forms of posts in META', (value): value is Record<string, PackedPost> =>
      isMapOf(value, isPost),
    )
    return Object.hasOwn(posts, cc) ? posts[cc] : undefined
  }

  /** Returns a detail on a code that is not found; undefined if it has the form of one. */
  const detail = (cc: string, key: string, hasData: boolean): Detail | undefined => {
    let form = keys.get(cc)
    if (form === undefined) {
      const post = of(cc)
      form = post === undefined ? null : new RegExp(`^${post.keyPattern}$`)
      keys.set(cc, form)
    }
    if (form === null) return 'no_postal_codes'
    if (!form.test(key)) return 'wrong_format'
    return hasData ? undefined : 'no_data'
  }
  return { of, detail }
}

function isPost(value: unknown): value is PackedPost {
  const { name, pattern, keyPattern, forms } = (value ?? {}) as Record<keyof PackedPost, unknown>
  const isForm = (form: unknown): form is PackedPost['forms'][number] => isMapOf(form, isText)
  return isText(name) && [pattern, keyPattern].every(isPattern) && isListOf(forms, isForm)
}

function isPattern(value: unknown): value is string {
  try {
    if (!isText(value)) return false
    new RegExp(value)
    return true
  } catch {
    return false
  }
}
