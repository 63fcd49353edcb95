/** The frame of the operator's pages, and what several of them share. */
import type { Child, PropsWithChildren } from 'hono/jsx'
import type { AccountView } from '../../accounts/views.ts'
import { type Navigation, Page } from '../layout/page.tsx'
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
