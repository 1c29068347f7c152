import { conversationIdOf } from '../../../server/src/domain/users/index.ts'
import type { TestApp } from '../service/test-app.ts'

export interface CrowdSize {
  /** An even number: they talk in pairs, too. */
  readonly people: number
  readonly groups: number
}

export interface Room {
  readonly conversation: string
  readonly receiver: string
  readonly receiverType: 'user' | 'group'
}

/** Someone with a device, and where they talk: two groups, and a neighbour. */
export interface Someone {
  readonly uid: string
  readonly authToken: string
  readonly rooms: readonly Room[]
}

/** Users and their groups; nobody has said anything yet. */
export async function seedCrowd(
  app: Pick<TestApp, 'appId' | 'as' | 'given'>,
  size: CrowdSize,
): Promise<Someone[]> {
  const client = app.as('full')
  const many = { 'rateLimits.standard': 1_000_000_000, 'rateLimits.core': 1_000_000_000 }
  await client.mapAppSettings({ params: { appId: app.appId }, body: { settings: many } })
  const numbers = Array.from({ length: size.people }, (_, n) => n)
  await Promise.all(numbers.map((n) => app.given.user(`u${n}`)))
  for (let group = 0; group < size.groups; group++) {
    const members = numbers.filter((n) => groupsOf(n, size).includes(group))
    const participants = members.map((n) => `u${n}`)
    await app.given.group(`g${group}`, { members: { participants } })
  }
  return Promise.all(
    numbers.map(async (n) => {
      const uid = `u${n}`
      const { data } = await client.createAuthToken({ params: { uid }, body: {} })
      const groups = groupsOf(n, size).map((group) => roomOfGroup(`g${group}`))
      return { uid, authToken: data.authToken, rooms: [...groups, roomOfTwo(uid, `u${n ^ 1}`)] }
    }),
  )
}

function roomOfGroup(guid: string): Room {
  return { conversation: `group_${guid}`, receiver: guid, receiverType: 'group' }
}

function roomOfTwo(uid: string, other: string): Room {
  return { conversation: conversationIdOf(uid, other), receiver: other, receiverType: 'user' }
}

/** Two, and the neighbours are not always in the same. */
function groupsOf(n: number, { groups }: CrowdSize): number[] {
  return [n % groups, (Math.floor(n / groups) + n + 1) % groups]
}
