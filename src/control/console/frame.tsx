/** The frame of the operator's pages, and what several of them share. */
import type { Child, PropsWithChildren } from 'hono/jsx'
import type { AccountView } from '../../accounts/views.ts'
import { type Navigation, Page } from '../layout/page.tsx'
import { count } from '../layout/words.ts'
import type { PageContext } from '../shell/dashboard.ts'

const NAVIGATION: Navigation = [
  [
    'Operator',
    [
      ['/operator/service', 'Service'],
      ['/operator/accounts', 'Accounts'],
      ['/operator/log', 'Audit log'],
      ['/operator/settings', 'Settings'],
    ],
  ],
]

interface FrameProps {
  c: PageContext
  title: string
  lead?: Child
  problem?: string
}

export function OperatorPage({ c, children, ...rest }: PropsWithChildren<FrameProps>) {
  return (
    <Page c={c} navigation={NAVIGATION} {...rest}>
      {children}
    </Page>
  )
}

/** Whether the keys of an account are answered, as a pill. */
export function AccountState({ standing }: Pick<AccountView, 'standing'>) {
  if (standing === null) return <span class="tag good">active</span>
  return <span class={standing.state === 'closed' ? 'tag' : 'tag bad'}>{standing.state}</span>
}

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
