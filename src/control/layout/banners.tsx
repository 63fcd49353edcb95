/** What keeps an account's requests from being answered, or soon will, with the remedy. Shown on every page. */
import type { PageContext } from '../shell/dashboard.ts'
import { balanceConcern, capConcern, standingConcern } from './concerns.ts'

/** Both are always there, hidden while nothing is wrong, so that a live page can show them. */
export function Banners({ c }: { c: PageContext }) {
  return (
    <>
      {c.var.account.standing !== null && (
        <p class="problem banner" role="status">
          {standingConcern(c.var.account)}
        </p>
      )}
      <Banner
        text={balanceConcern(c.var.account)}
        live="balanceConcern"
        remedy={
          c.req.path === '/balance' ? ['#recharge', 'Recharge below'] : ['/balance#recharge', 'Recharge']
        }
      />
      <Banner
        text={capConcern(c.var.keys())}
        live="capConcern"
        remedy={['/keys?state=capped', 'See the keys']}
      />
    </>
  )
}

interface BannerProps {
  text: string
  live: string
  remedy: readonly [href: string, text: string]
}

function Banner({ text, live, remedy: [href, name] }: BannerProps) {
  return (
    <p class="problem banner" role="status" hidden={text === ''}>
      <span data-live={live}>{text}</span> <a href={href}>{name}</a>
    </p>
  )
}
