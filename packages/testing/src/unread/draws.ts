import { add, ban, block, join, kick, leave, unban, unblock } from './draw-members.ts'
import {
  edit,
  remove,
  sendAgain,
  sendAsApp,
  sendCustom,
  sendText,
  sendTogether,
} from './draw-messages.ts'
import {
  delivered,
  deliveredAll,
  read,
  readAll,
  reset,
  resetForAll,
  unread,
} from './draw-positions.ts'
import { type Draw, type Drawn, perform, type Talk } from './talk.ts'

type Kinds<D> = Readonly<Record<string, readonly [weight: number, draw: D]>>
type DrawSome = (talk: Talk) => Drawn | Drawn[]

/**
 * These can be done at once: none says anything of the order of the others, so what is unread
 * after them follows from the log, in whatever order they came into it.
 */
const atOnce: Kinds<DrawSome> = {
  sendText: [12, sendText],
  sendTogether: [14, sendTogether],
  sendCustom: [10, sendCustom],
  sendAgain: [4, sendAgain],
  edit: [6, edit],
  remove: [12, remove],
  delivered: [1.5, delivered],
  read: [11, read],
  unread: [8, unread],
}

/** These mean what there is when they come, so nothing else happens in the conversation. */
const alone: Kinds<Draw> = {
  deliveredAll: [1.5, deliveredAll],
  readAll: [7, readAll],
  reset: [1.5, reset],
  resetForAll: [0.2, resetForAll],
}

const ofTwo = tableOf(atOnce, { ...alone, block: [2, block], unblock: [6, unblock] })

const ofGroup = tableOf(
  { ...atOnce, sendAsApp: [2, sendAsApp] },
  {
    ...alone,
    join: [5, join],
    add: [2, add],
    leave: [3, leave],
    kick: [1, kick],
    ban: [1.5, ban],
    unban: [3, unban],
  },
)

const drawnPerTurn = 8

/**
 * Draws a few, each as often as its weight says, and does them in the conversation: first those
 * that can be done at once, then the others. Returns how many it did.
 */
export async function takeTurn(talk: Talk): Promise<number> {
  const { weights, atOnce, alone } = talk.between.kind === 'group' ? ofGroup : ofTwo
  const names = Array.from({ length: drawnPerTurn }, () => talk.random.weighted(weights))
  const together = firstHolders(names.flatMap((name) => atOnce[name]?.[1](talk) ?? []))
  await perform(...together)
  const others = names.flatMap((name) => alone[name]?.[1] ?? [])
  for (const draw of others) await perform(draw(talk))
  return together.length + others.length
}

/** Without those that are about the same as one before them. */
function firstHolders(drawn: readonly Drawn[]): Drawn[] {
  const held = new Set<string>()
  return drawn.filter(({ holds }) => {
    if (holds === undefined) return true
    const free = !held.has(holds)
    held.add(holds)
    return free
  })
}

function tableOf(atOnce: Kinds<DrawSome>, alone: Kinds<Draw>) {
  const all = Object.entries({ ...atOnce, ...alone })
  const weights = Object.fromEntries(all.map(([name, [weight]]) => [name, weight]))
  return { weights, atOnce, alone }
}
