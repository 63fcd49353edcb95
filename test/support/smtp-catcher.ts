import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import type { Test } from 'tap'

export interface CaughtEmail {
  from: string
  to: string[]
  /** Headers and body as they were sent, without line breaks of quoted-printable. */
  raw: string
}

/** Starts an SMTP server that keeps its messages until the test ends. While `refuse` is true, it answers 451. */
export async function startSmtpCatcher(t: Test) {
  const emails: CaughtEmail[] = []
  let isRefused = false
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    async onData(stream, session, done) {
      const raw = (await text(stream)).replaceAll('=\r\n', '')
      const { mailFrom, rcptTo } = session.envelope
      if (isRefused) return done(Object.assign(new Error('try later'), { responseCode: 451 }))
      emails.push({
        from: mailFrom === false || mailFrom === undefined ? '' : mailFrom.address,
        to: rcptTo.map(({ address }) => address),
        raw,
      })
      done()
    },
  })
  const tcp = server.listen(0, '127.0.0.1')
  if (!tcp.listening) await once(tcp, 'listening')
  t.teardown(() => new Promise<void>(resolve => server.close(() => resolve())))
  const { port } = tcp.address() as AddressInfo
  return {
    env: { SMTP_URL: `smtp://127.0.0.1:${port}`, SMTP_FROM: 'Postal codes <alerts@example.com>' },
    emails,
    refuse(refused: boolean) {
      isRefused = refused
    },
  }
}
