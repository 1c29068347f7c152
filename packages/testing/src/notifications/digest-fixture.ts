import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Api } from '@chorale/contract/api'
import type { Client } from '@chorale/contract/operation'
import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, inject, vi } from 'vitest'
import { readConfig } from '../../../server/src/config.ts'
import { databaseMs } from '../../../server/src/database/app-db.ts'
import { digestQueue } from '../../../server/src/domain/notifications/digest/digests-queue.sql.ts'
import { announceMessages } from '../../../server/src/domain/notifications/index.ts'
import { openCore } from '../../../server/src/main/parts/core.ts'
import { startWorker } from '../../../server/src/main/parts/worker-part.ts'
import { openTransactions } from '../../../server/src/outbox/unit-of-work.ts'
import { natsPrefix } from '../engines/nats-prefix.ts'
import { type MailServer, startMailServer } from '../providers/mail.ts'
import { type Provider, startProvider } from '../providers/provider.ts'
import { startTestApp, type TestApp } from '../service/test-app.ts'

/** An app with a clock of its own, and everybody whom its digests go through. */
export interface DigestFixture extends AsyncDisposable {
  readonly app: TestApp
  readonly full: Client<Api>
  /** SendGrid and Twilio. */
  readonly server: Provider
  readonly mail: MailServer
  /** In unix milliseconds. */
  readonly nowMs: number
  /** For the service and for what waits in the database. */
  pass(seconds: number): Promise<void>
  /** What SendGrid was asked to send to this user, and what Twilio was. */
  emails(uid: string): SentEmail[]
  texts(uid: string): string[]
  /** Two users who can be reached, and have never talked. */
  pair(): Promise<readonly [string, string]>
  reachable(...uids: readonly string[]): Promise<void>
  /** Which messages the digests to a user speak of, the first and the last, oldest first. */
  announced(uid: string): Promise<Announced[]>
  /** Waits until e-mails to the user speak of so many messages each, oldest first. */
  announces(uid: string, ...messages: readonly number[]): Promise<void>
  /** Waits until nothing is due, and nobody has a digest in hand. */
  rests(): Promise<void>
  /** The event of this message comes once more. */
  again(messageId: string): Promise<void>
  /** A worker of another process. */
  anotherWorker(): Promise<AsyncDisposable>
}

interface Announced {
  readonly channel: string
  readonly fromSeq: number
  readonly toSeq: number
}

interface SentEmail {
  readonly subject: string
  readonly template_id: string
  readonly asm: { readonly group_id: number }
  readonly from: { readonly email: string; readonly name: string }
  readonly headers: Readonly<Record<string, string>>
  readonly personalizations: readonly [
    {
      readonly to: readonly [{ readonly email: string; readonly name: string }]
      readonly dynamic_template_data: {
        readonly messages: readonly { readonly message: string }[]
      }
    },
  ]
}

/** For `expect.poll`: all of this is the work of others. */
export const patiently = { timeout: 15_000 }
const host = '@chorale.example'

export async function startDigestFixture(
  { worker }: { readonly worker: 'here' | 'elsewhere' } = { worker: 'here' },
): Promise<DigestFixture> {
  await using stack = new AsyncDisposableStack()
  const sent: SentEmail[] = []
  const texted: URLSearchParams[] = []
  const server = stack.use(
    await startProvider(({ path, body }) => {
      if (path === '/v3/mail/send') {
        sent.push(JSON.parse(body.toString()))
        return { status: 202 }
      }
      texted.push(new URLSearchParams(body.toString()))
      return { status: 201, body: { sid: 'SM1' } }
    }),
  )
  const mail = stack.use(await startMailServer())
  const folder = mkdtempSync(join(tmpdir(), 'chorale-digests-'))
  stack.defer(() => rmSync(folder, { recursive: true }))
  const authorities = join(folder, 'authorities.pem')
  writeFileSync(authorities, server.authority.ca + mail.ca)
  const settings = {
    NATS_PREFIX: natsPrefix(),
    EGRESS_ALLOW: '127.0.0.0/8',
    EGRESS_HTTP: 'true',
    EGRESS_CA_FILE: authorities,
    SENDGRID_ORIGIN: server.origin,
    TWILIO_ORIGIN: server.origin,
    SMTP_URL: `smtp://chorale:secret@localhost:${mail.port}`,
    SMTP_FROM: `chat${host}`,
    PUSH_TIMEOUT_MS: '10000',
  }
  let now = Math.floor(Date.now() / 1000)
  const clock = () => now
  const here = worker === 'here' ? { listeners: [announceMessages] } : {}
  const app = stack.use(await startTestApp({ shadow: false, clock, live: { settings, ...here } }))
  const full = app.as('full')
  let pairs = 0
  const numbers = new Map<string, string>()
  const owned = stack.move()

  const announced = async (uid: string) => {
    const { rows } = await sql<Announced>`
      select channel, from_seq as "fromSeq", to_seq as "toSeq" from notification_deliveries
      where app_id = ${app.appId} and uid = ${uid} and channel <> 'push'
      order by channel, delivery_id`.execute(app.db)
    return rows
  }
  const reachable = async (...uids: readonly string[]) => {
    for (const uid of uids) {
      const phno = `+15550${1000 + numbers.size}`
      numbers.set(uid, phno)
      await full.updateContactDetails({ onBehalfOf: uid, body: { email: `${uid}${host}`, phno } })
    }
  }

  return {
    app,
    full,
    server,
    mail,
    announced,
    reachable,
    get nowMs() {
      return now * 1000
    },
    async pass(seconds) {
      now += seconds
      // Listeners lock several rows, in an order of their own: with them this update may end in a deadlock.
      await app.db.transaction().execute(async (db) => {
        await sql`lock table notification_deliveries in exclusive mode`.execute(db)
        await sql`
          update notification_deliveries
          set due_at = due_at - ${seconds * 1000}::bigint,
              ended_at_ms = ended_at_ms - ${seconds * 1000}::bigint
          where channel <> 'push' and coalesce(leased_until, 0) < ${databaseMs}`.execute(db)
      })
      app.wake(digestQueue)
    },
    emails: (uid) =>
      sent.filter(({ personalizations: [{ to }] }) => to[0].email === `${uid}${host}`),
    texts: (uid) =>
      texted
        .filter((form) => form.get('To') === numbers.get(uid))
        .map((form) => form.get('Body') ?? ''),
    async pair() {
      pairs += 1
      const both = [`ann${pairs}`, `bob${pairs}`] as const
      await app.given.users(...both)
      await reachable(...both)
      return both
    },
    announces: (uid, ...messages) =>
      expect
        .poll(async () => {
          const rows = (await announced(uid)).filter(({ channel }) => channel === 'email')
          return rows.map(({ fromSeq, toSeq }) => toSeq - fromSeq + 1)
        }, patiently)
        .toEqual(messages),
    async rests() {
      const underWay = async () => {
        const { rows } = await sql`
          select from notification_deliveries
          where status = 'waiting' and channel <> 'push'
            and (attempt > 0 or due_at <= ${databaseMs})`.execute(app.db)
        return rows.length
      }
      await vi.waitFor(async () => expect(await underWay()).toBe(0), patiently)
    },
    async again(messageId) {
      const { rows } = await sql<{ bucket: number; key: number; seq: number }>`
        select bucket, conversation_key as key, seq from entries
        where app_id = ${app.appId} and id = ${messageId}`.execute(app.db)
      const [{ bucket, key, seq } = { bucket: 0, key: 0, seq: 0 }] = rows
      // All that the listener looks at.
      const payload = { bucket, key, seq, id: 0, sender: '', category: '', type: '' }
      const event = { id: 'again', name: 'entry.appended', at: now, payload } as const
      const { inApp } = openTransactions({
        begin: (work) => app.db.transaction().execute(work),
        onCommit: () => undefined,
        clock,
      })
      await inApp(app.appId, async (ctx) => announceMessages.on['entry.appended']?.(event, ctx))
    },
    async anotherWorker() {
      const config = readConfig({
        DATABASE_URL: app.databaseUrl,
        NATS_URL: inject('natsUrl'),
        CHORALE_MASTER_KEY: app.masterKey,
        MANAGEMENT_PORT: '1',
        ...settings,
      })
      const worker = new AsyncDisposableStack()
      const core = worker.use(await openCore({ config, log: pino({ level: 'silent' }), clock }))
      worker.use(startWorker(core, { listeners: [announceMessages], isAlone: true }))
      return worker
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
