/** Words in small letters inside names. */
const SMALL = new Set(
  'i og på ved de del la las le les los du des sur sous en et y al aux lès of and the'.split(' '),
)

/** Returns `Mo i Rana` for `MO I RANA`. Only names in capitals change. */
export function titleCase(name: string): string {
  if (name !== name.toUpperCase()) return name
  const lower = name.toLowerCase()
  return lower.replace(/\p{L}[\p{L}\p{M}]*/gu, (word, at: number) =>
    at > 0 && SMALL.has(word) ? word : isPossessive(lower, at) ? word : word[0].toUpperCase() + word.slice(1),
  )
}

/** The `s` of `king's` is no word; the `o` of `o'connor` is. */
function isPossessive(lower: string, at: number): boolean {
  return lower[at] === 's' && /['’]/.test(lower[at - 1] ?? '') && !/\p{L}/u.test(lower[at + 1] ?? '')
}
