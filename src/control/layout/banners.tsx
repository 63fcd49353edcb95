/** What keeps an account's requests from being answered, or soon will, with the remedy. Shown on every page. */
import { mayOpen } from '../shell/access.ts'
import type { PageContext } from '../shell/dashboard.ts'
import { balanceConcern, capConcern, standingConcern } from './concerns.ts'

/** Both are always there, hidden while nothing is wrong, so that a live page can show them. */
export function Banners({ c }: { c: PageContext }) {
  return (
    <>
      {c.get('account').standing !== null && (
        <p class="problem banner" role="status">
          {standingConcern(c.get('account'))}
        </p>
      )}
      <Banner
        text={balanceConcern(c.get('account'))}
        live="balanceConcern"
        remedy={
          !mayOpen(c, '/balance')
            ? null
            : c.req.path === '/balance'
              ? ['#recharge', 'Recharge below']
              : ['/balance#recharge', 'Recharge']
        }
      />
      {c.get('rechargeConcern') !== undefined && c.get('rechargeConcern') !== '' && (
        <p class="problem banner" role="status">
          {c.get('rechargeConcern')} {mayOpen(c, '/balance') && <a href="/balance#auto">Check the card</a>}
        </p>
      )}
      <Banner
        text={capConcern(c.get('keys')())}
        live="capConcern"
        remedy={mayOpen(c, '/keys') ? ['/keys?state=capped', 'See the keys'] : null}
      />
    </>
  )
}

interface BannerProps {
  text: string
  live: string
  /** Null: that is for others in the account to do. */
  remedy: readonly [href: string, text: string] | null
}

function Banner({ text, live, remedy }: BannerProps) {
  return (
    <p class="problem banner" role="status" hidden={text === ''}>
      <span data-live={live}>{text}</span> {remedy !== null && <a href={remedy[0]}>{remedy[1]}</a>}
    </p>
  )
}
