import type { Slots } from '../provider/slots.ts'

/** Which slots can be seen beside each other: those of one layer hide those of the layers before it. */
const slotLayers: Readonly<Record<keyof Slots, 'inner' | 'middle' | 'outer' | 'closed'>> = {
  Avatar: 'inner',
  UnreadBadge: 'inner',
  ConnectionBanner: 'inner',
  MessageText: 'inner',
  CustomMessage: 'inner',
  SystemMessage: 'inner',
  Attachment: 'inner',
  QuotedMessage: 'inner',
  Reactions: 'inner',
  Receipt: 'inner',
  MessageActions: 'inner',
  DaySeparator: 'inner',
  UnreadSeparator: 'inner',
  TypingIndicator: 'inner',
  MentionOption: 'inner',
  MemberRow: 'inner',
  PresenceBadge: 'middle',
  SearchResult: 'middle',
  MessageRow: 'middle',
  Composer: 'middle',
  ConversationRow: 'outer',
  ConversationHeader: 'outer',
  MessageList: 'outer',
  Empty: 'closed',
}

export type SlotLayer = (typeof slotLayers)[keyof Slots]

export function slotsIn(layer: SlotLayer): (keyof Slots)[] {
  const all = Object.entries(slotLayers).filter(([, of]) => of === layer)
  // The keys of the record above.
  return all.map(([name]) => name as keyof Slots)
}

/** In the place of each slot of a layer: its name. */
export function markedSlots(layer: SlotLayer): Partial<Slots> {
  return Object.fromEntries(slotsIn(layer).map((name) => [name, () => <i data-slot={name} />]))
}
