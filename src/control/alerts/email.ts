/** Sends email through the operator's SMTP server. */
import type { Transporter } from 'nodemailer'
import type { SmtpSettings } from '../../settings/dashboard-settings.ts'

/** Of each step of the conversation. */
const STEP_MS_MAX = 10_000
const CONNECTIONS_MAX = 2
const MESSAGES_PER_CONNECTION_MAX = 100

export interface Email {
  /** The same for each attempt, so that a receiver can drop a second copy. */
  id: string
  to: string[]
  subject: string
  text: string
}

export class Mailer {
  readonly #settings: SmtpSettings
  #transport: Promise<Transporter> | null = null

  constructor(settings: SmtpSettings) {
    this.#settings = settings
  }

  /** Resolves when the server has taken the message. @throws Error that says why it has not */
  async send({ id, to, subject, text }: Email): Promise<void> {
    const { from } = this.#settings
    this.#transport ??= openTransport(this.#settings)
    const host = from.slice(from.lastIndexOf('@') + 1).replace(/>.*$/, '')
    await (await this.#transport).sendMail({
      from,
      to,
      subject,
      text,
      messageId: `<${id}@${host}>`,
      // No automatic answer is wanted, and none should come back from a holiday.
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
  }

  close(): void {
    this.#transport?.then(transport => transport.close()).catch(() => {})
  }
}

/** Loads the library when the first message is sent. */
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
