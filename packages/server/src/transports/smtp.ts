import { createTransport } from 'nodemailer'
import type { Email } from './email.ts'
import { later, type PushOutcome } from './outcome.ts'

/** Where the operator's mail server is. An app never names one: it would be called unchecked. */
export interface SmtpOptions {
  readonly host: string
  readonly port: number
  /** TLS from the first byte on; otherwise the connection must be upgraded to it. */
  readonly secure: boolean
  readonly user?: string
  readonly password?: string
  readonly timeoutMs: number
  /** Certificates to trust instead of the well-known ones. */
  readonly ca?: string
}

/** E-mail through a mail server. */
export interface Smtp extends Disposable {
  send(email: Email): Promise<PushOutcome>
}

export function openSmtp(options: SmtpOptions): Smtp {
  const { host, port, secure, user, password = '', timeoutMs, ca } = options
  const transport = createTransport({
    pool: true,
    maxConnections: 5,
    host,
    port,
    secure,
    requireTLS: true,
    ...(user !== undefined && { auth: { user, pass: password } }),
    ...(ca && { tls: { ca } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // A digest is text: nothing in it makes this machine read a file or call somebody.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ from, to, subject, text, html, id }) {
      try {
        const sent = await transport.sendMail({
          from,
          to: { name: to.name ?? '', address: to.address },
          subject,
          text,
          ...(html !== undefined && { html }),
          messageId: `<${id}@${from.address.split('@').at(-1)}>`,
        })
        return { is: 'accepted', id: sent.messageId }
      } catch (error) {
        return outcomeOf(error)
      }
    },
    [Symbol.dispose]: () => transport.close(),
  }
}

interface SmtpFailure extends Error {
  readonly code?: string
  readonly command?: string
  readonly responseCode?: number
}

function outcomeOf(error: unknown): PushOutcome {
  if (!(error instanceof Error)) throw error
  // What nodemailer adds to its errors; any of it may be missing.
  const { message, code, command, responseCode = 0 } = error as SmtpFailure
  if (code === 'EAUTH') return { is: 'refused', reason: message }
  if (responseCode < 500) return later(message)
  // The mailbox was refused, not the digest or the sender.
  const noMailbox = command === 'RCPT TO' && [550, 551, 553].includes(responseCode)
  return { is: noMailbox ? 'gone' : 'refused', reason: message }
}
