/** Written formats of a country's codes, each with an example and a pattern. */
import type { CountryRules } from '../format/meta.ts'
import { formatCode, SHAPE_PATTERNS } from '../text/mask.ts'
import type { Country } from './country.ts'
import type { PostalIndex } from './postal-index.ts'

/** Returns the formats of a country's codes, the most frequent first. */
function writtenFormats({ shapes, examples, masks }: CountryRules) {
  return shapes.map((shape, i) => {
    const form = formatCode(shape.replace(/./g, '#'), masks)
    return {
      format: formatCode(shape, masks),
      example: formatCode(examples[i] ?? shape, masks),
      pattern: patternOf(shape, form),
    }
  })
}

/** Returns `CountryFormats` of the library. @param country null if the index has no codes of it */
export function formatsOf(index: PostalIndex, cc: string, country: Country | null) {
  const post = index.posts.of(cc)
  const published = post?.pattern ?? ''
  const formats =
    country === null
      ? (post?.forms ?? []).map(form => ({ ...form, pattern: published }))
      : writtenFormats(country.meta)
  const isPublished = ({ example }: { example: string }) =>
    published !== '' && new RegExp(published).test(example)
  // The index may have only a part of each code, or letters before it.
  const others = formats.filter(form => !isPublished(form))
  const sorted = [...formats.filter(isPublished), ...others]
  const patterns = new Set([published, ...others.map(({ pattern }) => pattern)])
  return {
    country: cc,
    name: post?.name ?? null,
    hasCodes: post !== undefined,
    hasData: country !== null,
    pattern: [...patterns].filter(pattern => pattern !== '').join('|') || null,
    example: sorted[0]?.example ?? null,
    formats: sorted,
  }
}

/** Returns a regular expression. @param form the written form with `#` for each character of `shape` */
function patternOf(shape: string, form: string): string {
  let at = 0
  const parts = Array.from(form, character =>
    character === '#' ? SHAPE_PATTERNS[shape[at++]] : character.replace(/[.\\]/, '\\$&'),
  )
  const pattern = parts
    .join('')
    .replace(/(\[[^\]]*\])\1+/g, (run, part: string) => `${part}{${run.length / part.length}}`)
  return `^${pattern}$`
}
