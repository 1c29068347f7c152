import { type Egress, EgressError } from '../egress/egress.ts'
import { later, type PushOutcome, parseJson } from './outcome.ts'

export interface Email {
  readonly from: { readonly name: string; readonly address: string }
  readonly to: { readonly name?: string; readonly address: string }
  readonly subject: string
  readonly text: string
  readonly html?: string
  /** The same for every attempt, so that a mailbox can tell a repeat. */
  readonly id: string
}

/** An account, and what the app has prepared there. */
interface SendGridAccount {
  readonly apiKey: string
  /** A template that is filled in instead of the text. */
  readonly template?: { readonly id: string; readonly data: object }
  /** The list from which whoever gets the digest can take themselves off. */
  readonly unsubscribeGroup?: number
}

/** E-mail through SendGrid. */
export interface SendGrid {
  send(account: SendGridAccount, email: Email): Promise<PushOutcome>
}

export interface SendGridOptions {
  readonly egress: Egress
  readonly timeoutMs: number
  readonly origin?: string
  /** In ms. */
  readonly clock?: () => number
}

export function openSendGrid(options: SendGridOptions): SendGrid {
  const { egress, timeoutMs, origin = 'https://api.sendgrid.com', clock = Date.now } = options
  return {
    async send(account, email) {
      const { apiKey } = account
      try {
        const { status, headers, body } = await egress.call({
          url: `${origin}/v3/mail/send`,
          method: 'POST',
          headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
          body: JSON.stringify(bodyOf(account, email)),
          timeoutMs,
          maxBytes: 65_536,
          target: `sendgrid ${apiKey.slice(0, 12)}`,
        })
        const id = headers['x-message-id']
        if (status === 202) return { is: 'accepted', ...(id && { id }) }
        const reason = reasonOf(status, body)
        if (status !== 429 && status < 500) return { is: 'refused', reason }
        // In unix seconds.
        const reset = Number(headers['x-ratelimit-reset'])
        return later(reason, reset ? Math.max(0, reset * 1000 - clock()) : undefined)
      } catch (error) {
        if (error instanceof EgressError) return later(error.message)
        throw error
      }
    },
  }
}

function bodyOf(
  { template, unsubscribeGroup }: SendGridAccount,
  { from, to, subject, text, html, id }: Email,
) {
  const recipient = { email: to.address, ...(to.name && { name: to.name }) }
  // Plain text must come first.
  const content = [
    { type: 'text/plain', value: text },
    ...(html ? [{ type: 'text/html', value: html }] : []),
  ]
  return {
    personalizations: [
      { to: [recipient], ...(template && { dynamic_template_data: template.data }) },
    ],
    from: { email: from.address, name: from.name },
    subject,
    ...(template ? { template_id: template.id } : { content }),
    ...(unsubscribeGroup !== undefined && { asm: { group_id: unsubscribeGroup } }),
    headers: { 'Message-ID': `<${id}@${from.address.split('@').at(-1)}>` },
  }
}

function reasonOf(status: number, body: string): string {
  // Every field is looked at as if it might be missing.
  const { errors = [] } = (parseJson(body) ?? {}) as { errors?: readonly { message?: string }[] }
  return errors.map(({ message }) => message).join(' ') || `status ${status}`
}
