/** Sends email through the operator's SMTP server, and finds the addresses of an account. */
import type { Transporter } from 'nodemailer'
import type { Accounts } from '../../billing/accounts/accounts.ts'
import { isEmail } from '../../billing/accounts/commands/checked-input.ts'
import type { AccountView } from '../../billing/accounts/views.ts'
import type { SmtpSettings } from '../../platform/settings/config.ts'
import { isAboutMoney, type MessageKind } from './alert-kinds.ts'

/** Maximum time of a look-up, a connection, a greeting, or a pause of the SMTP server. */
const STEP_MS_MAX = 10_000
const CONNECTIONS_MAX = 2
const MESSAGES_PER_CONNECTION_MAX = 100

export interface Email {
  /** Id of the message, the same for each attempt. Receivers drop a second copy. */
  id: string
  to: string[]
  subject: string
  text: string
}

export function createMailer(settings: SmtpSettings) {
  const { from } = settings
  const host = from.slice(from.lastIndexOf('@') + 1).replace(/>.*$/, '')
  let transport: Promise<Transporter> | undefined
  return {
    async send({ id, to, subject, text }: Email): Promise<void> {
      transport ??= openTransport(settings)
      const messageId = `<${id}@${host}>`
      // Asks for no automatic answers.
      const headers = { 'Auto-Submitted': 'auto-generated' }
      await (await transport).sendMail({ from, to, subject, text, messageId, headers })
    },
    close(): void {
      transport?.then(opened => opened.close()).catch(() => {})
    },
  }
}

async function openTransport({ host, port, isSecure, login, isLocal }: SmtpSettings): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    host,
    port,
    secure: isSecure,
    auth: login ?? undefined,
    pool: true,
    maxConnections: CONNECTIONS_MAX,
    maxMessages: MESSAGES_PER_CONNECTION_MAX,
    // Names and passwords must not cross a network in the clear.
    requireTLS: !isSecure && !isLocal,
    connectionTimeout: STEP_MS_MAX,
    greetingTimeout: STEP_MS_MAX,
    socketTimeout: STEP_MS_MAX,
    dnsTimeout: STEP_MS_MAX,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** True for an email address; false for the name `demo` and for the label of an unverified address. */
export const isEmailAddress = (email: string): boolean => isEmail(email) && /@.+\../.test(email)

/** Returns addresses of owners and, about money, billing members; before a first sign-in, of the account. */
export function addressesOf({ teams }: Accounts, { id, email }: AccountView, kind: MessageKind): string[] {
  const wanted = teams
    .of(id)
    .members.filter(({ role }) => role === 'owner' || (role === 'billing' && isAboutMoney(kind)))
  const addresses = wanted.map(member => member.email)
  if (teams.roleOf(id, id) === 'owner') addresses.push(email)
  return [...new Set(addresses)].filter(isEmailAddress)
}
