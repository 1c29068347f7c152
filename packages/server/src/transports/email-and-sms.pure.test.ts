import { afterEach, describe, expect, test } from 'vitest'
import { startMailServer } from '../../../testing/src/providers/mail.ts'
import {
  type Answered,
  type Asked,
  startProvider,
} from '../../../testing/src/providers/provider.ts'
import { openEgress } from '../egress/egress.ts'
import { openSendGrid } from './email.ts'
import { openTwilio, type Sms, type TwilioCredentials } from './sms.ts'
import { openSmtp } from './smtp.ts'

let perTest = new AsyncDisposableStack()
afterEach(async () => {
  await perTest.disposeAsync()
  perTest = new AsyncDisposableStack()
})

async function startApi(answer: Answered) {
  const asked: Asked[] = []
  const server = perTest.use(
    await startProvider((one) => {
      asked.push(one)
      return answer
    }),
  )
  const egress = perTest.use(
    openEgress({
      allow: '127.0.0.1',
      http: false,
      perTarget: 5,
      all: 20,
      ca: server.authority.ca,
      breaker: { failures: 100, restMs: 1000 },
    }),
  )
  return { asked, options: { egress, timeoutMs: 5000, origin: server.origin } }
}

const email = {
  from: { name: 'Chorale', address: 'chat@chorale.example' },
  to: { name: 'Ada', address: 'ada@chorale.example' },
  subject: 'Two messages',
  text: 'Hello',
  html: '<p>Hello</p>',
  id: '0190c2f4-1111-7000-8000-000000000001',
}

describe('a text message through Twilio', () => {
  const account: TwilioCredentials = { accountSid: 'AC1', authToken: 'secret' }
  const sms: Sms = { from: '+15005550006', to: '+15005550009', text: 'Hello & welcome' }

  test('is handed over as Twilio wants it', async () => {
    const { asked, options } = await startApi({ status: 201, body: { sid: 'SM1' } })
    expect(await openTwilio(options).send(account, sms)).toEqual({ is: 'accepted', id: 'SM1' })
    expect(asked[0]?.path).toBe('/2010-04-01/Accounts/AC1/Messages.json')
    expect(asked[0]?.headers.authorization).toBe(`Basic ${btoa('AC1:secret')}`)
    const form = Object.fromEntries(new URLSearchParams(asked[0]?.body.toString()))
    expect(form).toEqual({ To: sms.to, From: sms.from, Body: sms.text })
  })

  test('may come from a messaging service', async () => {
    const { asked, options } = await startApi({ status: 201, body: { sid: 'SM1' } })
    await openTwilio(options).send(account, { ...sms, from: 'MG1' })
    expect(asked[0]?.body.toString()).toContain('MessagingServiceSid=MG1')
  })

  test.each([
    [
      { status: 400, body: { code: 21211, message: 'Invalid To' } },
      { is: 'gone', reason: '21211: Invalid To' },
    ],
    [{ status: 400, body: { code: 21610, message: 'Unsubscribed' } }, { is: 'gone' }],
    [{ status: 400, body: { code: 21606, message: 'Invalid From' } }, { is: 'refused' }],
    [{ status: 401, body: { code: 20003, message: 'Authenticate' } }, { is: 'refused' }],
    [
      { status: 429, headers: { 'retry-after': '3' }, body: { code: 20429 } },
      { is: 'later', retryAfterMs: 3000 },
    ],
    [{ status: 503 }, { is: 'later', reason: 'status 503' }],
  ] as const)('answered with %j', async (answer, outcome) => {
    const { options } = await startApi(answer)
    expect(await openTwilio(options).send(account, sms)).toMatchObject(outcome)
  })
})

describe('a digest through SendGrid', () => {
  test('is handed over as SendGrid wants it', async () => {
    const { asked, options } = await startApi({ status: 202, headers: { 'x-message-id': 'm1' } })
    expect(await openSendGrid(options).send({ apiKey: 'SG.key' }, email)).toEqual({
      is: 'accepted',
      id: 'm1',
    })
    expect(asked[0]).toMatchObject({
      path: '/v3/mail/send',
      headers: { authorization: 'Bearer SG.key' },
    })
    expect(JSON.parse(asked[0]?.body.toString() ?? '')).toMatchObject({
      personalizations: [{ to: [{ email: 'ada@chorale.example', name: 'Ada' }] }],
      from: { email: 'chat@chorale.example', name: 'Chorale' },
      content: [{ type: 'text/plain' }, { type: 'text/html' }],
      headers: { 'Message-ID': `<${email.id}@chorale.example>` },
    })
  })

  test('fills in a template of the account', async () => {
    const { asked, options } = await startApi({ status: 202 })
    const template = { id: 'd-1', data: { subject: 'Two messages' } }
    await openSendGrid(options).send({ apiKey: 'SG.key', template, unsubscribeGroup: 7 }, email)
    const body = JSON.parse(asked[0]?.body.toString() ?? '')
    expect(body).toMatchObject({
      personalizations: [{ dynamic_template_data: { subject: 'Two messages' } }],
      template_id: 'd-1',
      asm: { group_id: 7 },
    })
    expect(body).not.toHaveProperty('content')
  })

  test.each([
    [
      { status: 400, body: { errors: [{ message: 'Bad from.' }] } },
      { is: 'refused', reason: 'Bad from.' },
    ],
    [{ status: 401 }, { is: 'refused' }],
    [
      { status: 429, headers: { 'x-ratelimit-reset': '1000' } },
      { is: 'later', retryAfterMs: 10_000 },
    ],
    [{ status: 500 }, { is: 'later' }],
  ] as const)('answered with %j', async (answer, outcome) => {
    const { options } = await startApi(answer)
    const sender = openSendGrid({ ...options, clock: () => 990_000 })
    expect(await sender.send({ apiKey: 'SG.key' }, email)).toMatchObject(outcome)
  })
})

describe('a digest through a mail server', () => {
  async function startSmtp(password = 'secret') {
    const { port, ca, digests } = perTest.use(await startMailServer())
    const options = { host: 'localhost', port, secure: false, user: 'chorale', timeoutMs: 5000 }
    return { digests, smtp: perTest.use(openSmtp({ ...options, password, ca })) }
  }

  test('arrives, encrypted on the way', async () => {
    const { digests, smtp } = await startSmtp()
    expect(await smtp.send(email)).toMatchObject({ is: 'accepted' })
    expect(digests[0]).toContain('Subject: Two messages')
    expect(digests[0]).toContain(`Message-ID: <${email.id}@chorale.example>`)
  })

  test('for a mailbox that is not there is gone; for one that is full, later', async () => {
    const { smtp } = await startSmtp()
    const to = (address: string) => smtp.send({ ...email, to: { address } })
    expect(await to('nobody@chorale.example')).toMatchObject({ is: 'gone' })
    expect(await to('full@chorale.example')).toMatchObject({ is: 'later' })
  })

  test('that the server does not want, or with a wrong password, is refused', async () => {
    const { smtp } = await startSmtp()
    expect(await smtp.send({ ...email, subject: 'unwanted' })).toMatchObject({ is: 'refused' })
    const { smtp: wrong } = await startSmtp('wrong')
    expect(await wrong.send(email)).toMatchObject({ is: 'refused' })
  })

  test('to nobody at all is for later', async () => {
    using smtp = openSmtp({ host: '127.0.0.1', port: 1, secure: false, timeoutMs: 1000 })
    expect(await smtp.send(email)).toMatchObject({ is: 'later' })
  })
})
