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
import { delivered, read, reset, resetForAll, unread } from './draw-positions.ts'
import type { Draw, Drawn, Talk } from './talk.ts'

const anywhere = {
  sendText: [12, sendText],
  sendTogether: [14, sendTogether],
  sendCustom: [10, sendCustom],
  sendAgain: [4, sendAgain],
  edit: [6, edit],
  remove: [12, remove],
  delivered: [3, delivered],
  read: [18, read],
  unread: [8, unread],
  reset: [1.5, reset],
  resetForAll: [0.2, resetForAll],
} as const

const ofTwo = { ...anywhere, block: [2, block], unblock: [6, unblock] } as const

const ofGroup = {
  ...anywhere,
  sendAsApp: [2, sendAsApp],
  join: [5, join],
  add: [2, add],
  leave: [3, leave],
  kick: [1, kick],
  ban: [1.5, ban],
  unban: [3, unban],
} as const

/** Any operation on the conversation, as often as its weight says. */
export function draw(talk: Talk): Drawn {
  return talk.between.kind === 'group' ? among(ofGroup, talk) : among(ofTwo, talk)
}

function among<K extends string>(
  kinds: Readonly<Record<K, readonly [weight: number, draw: Draw]>>,
  talk: Talk,
): Drawn {
  const entries = Object.entries<readonly [number, Draw]>(kinds)
  const weights = Object.fromEntries(entries.map(([name, [weight]]) => [name, weight]))
  // The names are those of the table.
  return kinds[talk.random.weighted(weights) as K][1](talk)
}
