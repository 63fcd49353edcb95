/** The page where a developer chooses whom to sign in as. */
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { DEMO_EMAIL } from '../../first-start.ts'
import { EMAIL_LENGTH_MAX } from '../../limits.ts'
import { formText } from '../layout/forms.ts'
import { Gate } from '../layout/gate.tsx'
import type { Dashboard, PageApp } from '../shell/dashboard.ts'
import { throughDoorOnly } from './development-door.tsx'
import { DEVELOPMENT_SIGN_IN_PATH, type DevelopmentProvider } from './development-provider.ts'

export function addDevelopmentPages(
  app: PageApp,
  { provider }: DevelopmentProvider,
  dashboard: Dashboard,
): void {
  app.use(`${DEVELOPMENT_SIGN_IN_PATH}/*`, throughDoorOnly(dashboard))

  app.get(`${DEVELOPMENT_SIGN_IN_PATH}/:uid`, async c => {
    const interaction = await provider.interactionDetails(c.env.incoming, c.env.outgoing).catch(() => null)
    if (interaction === null) return c.redirect('/sign-in')
    return c.html(<DevelopmentSignIn action={c.req.path} />)
  })

  app.post(`${DEVELOPMENT_SIGN_IN_PATH}/:uid`, async c => {
    const email = (await formText(c, 'email')).toLowerCase()
    if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > EMAIL_LENGTH_MAX) {
      const problem = 'That is not an email address.'
      return c.html(<DevelopmentSignIn action={c.req.path} {...{ email, problem }} />, 400)
    }
    // Writes the response itself: a redirect back into the protocol, or an error when no sign-in is in progress.
    await provider.interactionFinished(c.env.incoming, c.env.outgoing, { login: { accountId: email } })
    return RESPONSE_ALREADY_SENT
  })
}

interface DevelopmentSignInProps {
  action: string
  /** What was typed, when it was refused. */
  email?: string
  problem?: string
}

function DevelopmentSignIn({ action, email = DEMO_EMAIL, problem }: DevelopmentSignInProps) {
  return (
    <Gate title="Development sign-in">
      <h1>Development sign-in</h1>
      <p class="muted">
        For development only: sign in as anybody. The first start made the account <code>{DEMO_EMAIL}</code>.
        Another address opens a new account.
      </p>
      <form method="post" action={action} class="stack">
        <label>
          Email
          <input type="email" name="email" value={email} required maxlength={EMAIL_LENGTH_MAX} autofocus />
        </label>
        {problem !== undefined && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" class="primary wide">
          Sign in
        </button>
      </form>
    </Gate>
  )
}
