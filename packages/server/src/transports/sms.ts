import { type Egress, EgressError } from '../egress/egress.ts'
import { later, type PushOutcome, parseJson, retryAfterMs } from './outcome.ts'

export interface TwilioCredentials {
  readonly accountSid: string
  readonly authToken: string
}

export interface Sms {
  /** A number, or the id of a messaging service, which begins with MG. */
  readonly from: string
  readonly to: string
  readonly text: string
}

/** Text messages through Twilio. */
export interface Twilio {
  send(credentials: TwilioCredentials, sms: Sms): Promise<PushOutcome>
}

export interface TwilioOptions {
  readonly egress: Egress
  readonly timeoutMs: number
  readonly origin?: string
}

/** Codes that say: nobody can be reached under this number. */
const unreachable = new Set([21211, 21217, 21610, 21614])

export function openTwilio(options: TwilioOptions): Twilio {
  const { egress, timeoutMs, origin = 'https://api.twilio.com' } = options
  return {
    async send({ accountSid, authToken }, { from, to, text }) {
      const path = `/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`
      const sender = from.startsWith('MG') ? { MessagingServiceSid: from } : { From: from }
      const secret = Buffer.from(`${accountSid}:${authToken}`).toString('base64')
      try {
        const { status, headers, body } = await egress.call({
          url: origin + path,
          method: 'POST',
          headers: {
            authorization: `Basic ${secret}`,
            'content-type': 'application/x-www-form-urlencoded',
          },
          body: new URLSearchParams({ To: to, Body: text, ...sender }).toString(),
          timeoutMs,
          maxBytes: 65_536,
          target: `twilio ${accountSid}`,
        })
        return outcomeOf(status, body, retryAfterMs(headers))
      } catch (error) {
        if (error instanceof EgressError) return later(error.message)
        throw error
      }
    },
  }
}

function outcomeOf(status: number, body: string, wait: number | undefined): PushOutcome {
  // Every field is looked at as if it might be missing.
  const answer = (parseJson(body) ?? {}) as { sid?: string; code?: number; message?: string }
  if (status === 201) return { is: 'accepted', ...(answer.sid && { id: answer.sid }) }
  const reason = [answer.code ?? `status ${status}`, answer.message].filter(Boolean).join(': ')
  if (status === 429 || status >= 500) return later(reason, wait)
  return { is: unreachable.has(answer.code ?? 0) ? 'gone' : 'refused', reason }
}
