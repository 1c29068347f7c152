import { randomUUID } from 'node:crypto'
import { setTimeout as after } from 'node:timers/promises'
import { attempt, nameOf } from './calls.ts'
import type { Group, World } from './world.ts'

export interface Sends {
  readonly attempted: Map<string, { readonly conversation: string; readonly sender: string }>
  readonly acknowledged: Map<string, Acknowledged>
  /** The largest id that was acknowledged in a conversation. */
  readonly newest: ReadonlyMap<string, number>
  /** What was answered instead, and how often. */
  readonly refusals: Map<string, number>
  /** Takes no new messages; what is on its way is repeated until it is acknowledged. */
  finish(seconds: number): Promise<void>
}

interface Acknowledged {
  readonly conversation: string
  readonly id: number
  /** Milliseconds since the start of the run. */
  readonly at: number
  readonly tookMs: number
}

/** Of the messages, so many go to the groups with a webhook. */
const hookedShare = 0.02
/** At least; more where the rate asks for it, so that none waits for an answer when its turn comes. */
const leastClients = 96
const perClient = 5

/** Clients that each repeat a message, under its muid, until it is acknowledged. */
export function startSending(world: World, perSecond: number): Sends {
  const started = performance.now()
  const attempted: Sends['attempted'] = new Map()
  const acknowledged: Sends['acknowledged'] = new Map()
  const newest = new Map<string, number>()
  const refusals: Sends['refusals'] = new Map()
  const stopping = new AbortController()
  const giveUp = new AbortController()
  const clients = Math.max(leastClients, Math.ceil(perSecond / perClient))
  const everyMs = (clients * 1000) / perSecond

  async function sendOne(): Promise<void> {
    const muid = randomUUID()
    const group = groupIn(world)
    const sender = group.members[Math.floor(Math.random() * group.members.length)] ?? ''
    const conversation = conversationOf(group)
    attempted.set(muid, { conversation, sender })
    for (let tries = 0; !giveUp.signal.aborted; tries++) {
      const begun = performance.now()
      const answer = await attempt({
        app: group.app,
        method: 'POST',
        path: '/v3/messages',
        as: sender,
        body: {
          receiver: group.guid,
          receiverType: 'group',
          category: 'message',
          type: 'text',
          muid,
          data: { text: `word${muid.replaceAll('-', '')} of ${world.name}` },
        },
      })
      if (typeof answer !== 'string' && answer.status === 200) {
        const [at, tookMs] = [performance.now() - started, performance.now() - begun]
        const id = Number(Object(Object(answer.body).data).id)
        acknowledged.set(muid, { conversation, id, at, tookMs })
        newest.set(conversation, Math.max(id, newest.get(conversation) ?? 0))
        return
      }
      const name = nameOf(answer)
      refusals.set(name, (refusals.get(name) ?? 0) + 1)
      await after(Math.min(1000, 100 * 2 ** tries) * (0.5 + Math.random() / 2))
    }
  }

  async function client(nth: number): Promise<void> {
    let next = started + (nth / clients) * everyMs
    while (!stopping.signal.aborted) {
      await after(Math.max(0, next - performance.now()))
      if (stopping.signal.aborted) return
      await sendOne()
      // After a pause the rate is kept, what was missed is not made up for.
      next = Math.max(next + everyMs, performance.now() - everyMs)
    }
  }

  const work = Promise.all(Array.from({ length: clients }, (_, nth) => client(nth)))
  return {
    attempted,
    acknowledged,
    newest,
    refusals,
    async finish(seconds) {
      stopping.abort()
      await Promise.race([work, after(seconds * 1000)])
      giveUp.abort()
      await work
    },
  }
}

/** Two apps have groups of the same name. */
export function conversationOf({ app, conversation }: Group): string {
  return `${app.appId}/${conversation}`
}

function groupIn({ groups, hooked }: World): Group {
  const wanted = Math.random() < hookedShare
  const some = groups.filter(({ app }) => (app === hooked) === wanted)
  const found = some[Math.floor(Math.random() * some.length)]
  if (!found) throw new Error('The world has groups of both apps.')
  return found
}
