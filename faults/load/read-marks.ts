import { setTimeout as after } from 'node:timers/promises'
import { insist } from './calls.ts'
import { conversationOf, type Sends } from './sends.ts'
import type { World } from './world.ts'

export interface ReadMark {
  readonly user: string
  readonly conversation: string
  readonly guid: string
  readonly id: number
}

const pauseMs = 100

/** One member of each group marks as read, now and then, what was acknowledged last. */
export function startReading({ groups }: World, { newest }: Sends) {
  const marks = new Map<string, ReadMark>()
  let stopped = false

  async function run(): Promise<void> {
    for (let turn = 0; !stopped; turn++) {
      const group = groups[turn % groups.length]
      const [user] = group?.members ?? []
      const id = group && newest.get(conversationOf(group))
      if (group && user && id) {
        const { app, guid } = group
        const path = `/v3/groups/${guid}/conversation/read`
        await insist({ app, method: 'POST', path, as: user, body: { messageId: id } })
        const conversation = conversationOf(group)
        marks.set(conversation, { user, conversation, guid, id })
      }
      await after(pauseMs)
    }
  }

  const work = run()
  return {
    marks,
    async finish() {
      stopped = true
      await work
    },
  }
}
