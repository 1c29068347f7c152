import { conversationIdOf } from '../../../server/src/domain/users/index.ts'
import { type Random, seeded } from '../seeded.ts'

export const uids = Array.from({ length: 64 }, (_, n) => `u${n + 1}`)
export const guids = ['g1', 'g2', 'g3', 'g4']

/** A message to be sent, and how often. */
export interface Letter {
  readonly conversation: string
  readonly sender: string
  readonly receiver: string
  readonly receiverType: 'user' | 'group'
  readonly muid: string
  /** One after another; each is sent to these of the two servers at the same time. */
  readonly waves: readonly (readonly (0 | 1)[])[]
}

/** Those of each sender, in their order. A muid is unique to its sender, as apps make them. */
export function drawLetters(seed: string, sends: number): Letter[][] {
  const random = seeded(seed)
  const each = Math.ceil(sends / uids.length)
  return uids.map((sender, n) =>
    Array.from({ length: each }, (_, nth) => ({
      sender,
      ...towards(random, sender, n),
      muid: `m${nth}`,
      waves: waves(random),
    })),
  )
}

/** Half goes to four busy groups, half to some neighbours. */
function towards(random: Random, sender: string, n: number) {
  if (random.chance(0.5)) {
    const receiver = random.pick(guids)
    return { conversation: `group_${receiver}`, receiver, receiverType: 'group' } as const
  }
  const receiver = uids[(n + random.pick([1, 2, 62, 63])) % uids.length] ?? ''
  const conversation = conversationIdOf(sender, receiver)
  return { conversation, receiver, receiverType: 'user' } as const
}

function waves(random: Random): Letter['waves'] {
  const one = () => [random.below(2) === 0 ? 0 : 1] as const
  const kind = random.weighted({ once: 4, together: 3, later: 2, over: 1 })
  if (kind === 'once') return [one()]
  if (kind === 'together') return [[0, 1]]
  return kind === 'later' ? [one(), one()] : [[0, 1], one(), [0, 1, 0]]
}
