/** Long lists in pages: links from one to the next, and the number of a page in an address. */
import type { PageContext } from '../shell/dashboard.ts'
import { count } from './words.ts'

interface PagesProps {
  page: number
  pages: number
  /** `12 accounts` */
  matches: string
  /** The address of a page, from 1. */
  pathOf: (page: number) => string
}

/** Links to the pages before and after, where there are any. */
export function Pages({ page, pages, matches, pathOf }: PagesProps) {
  if (pages === 1) return <p class="hint">{matches}</p>
  return (
    <nav class="actions" aria-label="Pages">
      {page > 1 && (
        <a class="button" href={pathOf(page - 1)}>
          Previous
        </a>
      )}
      <span class="hint">
        Page {count(page)} of {count(pages)}, {matches}
      </span>
      {page < pages && (
        <a class="button" href={pathOf(page + 1)}>
          Next
        </a>
      )}
    </nav>
  )
}

/** A number of a page out of an address: whatever it does not understand is the first. */
export function pageOf(c: PageContext): number {
  const page = Number(c.req.query('page') ?? 1)
  return Number.isSafeInteger(page) && page > 0 ? page : 1
}
