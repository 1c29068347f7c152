/** With whom, or where. */
export interface Place {
  readonly receiverType: 'user' | 'group'
  /** The guid of a group, or both people. */
  readonly names: readonly string[]
}

interface Step {
  /** Unix seconds. */
  readonly at: number
  readonly uid: string
  readonly place: Place
}

/** Messages are numbered as they are written. */
export type Action = Step &
  (
    | {
        readonly kind: 'send'
        readonly message: number
        readonly text: string
        readonly parent: number | undefined
        readonly quoted: number | undefined
      }
    | { readonly kind: 'react'; readonly message: number; readonly reaction: string }
    | { readonly kind: 'edit'; readonly message: number; readonly text: string }
    | { readonly kind: 'delete'; readonly message: number }
    | { readonly kind: 'pin'; readonly message: number }
    | { readonly kind: 'read' }
  )

/*
 * A talk is written line by line:
 *
 *   @6 09:30            six days ago, at half past nine; now-40 is forty minutes ago
 *   mara: text          a message; some time passes before the next one
 *   " ines: text        one that quotes the message above it
 *     > ben: text       a reply in the thread of the message above
 *     + 👍 ines ben     reactions to it, by these people
 *     = text            it was edited, and says this now
 *     x                 it was deleted
 *     pin               it is pinned
 *   read mara ines      they have read everything up to here
 *
 * @mara in a text mentions her.
 */
const moment = /^@(\d) (\d\d):(\d\d)$|^now-(\d+)$/
const spoken = /^(" )?([a-z]+): (.*)$/
const reply = /^ {2}> ([a-z]+): (.*)$/
const reactions = /^ {2}\+ (\S+) (.*)$/
const edit = /^ {2}= (.*)$/

export interface Numbering {
  next: number
}

/** What happens in a talk, each at its time. `now` is in milliseconds. */
export function actionsOf(text: string, place: Place, now: number, numbering: Numbering): Action[] {
  const actions: Action[] = []
  let at = Math.floor(now / 1000)
  let above: { readonly message: number; readonly uid: string } | undefined
  const last = (line: string) => {
    if (above) return above
    throw new Error(`A talk has nothing above "${line}".`)
  }
  const say = (uid: string, said: string, parent?: number, quoted?: number) => {
    at += 20 + said.length
    const message = numbering.next++
    const line = said.replaceAll(/@([a-z]+)/g, '<@uid:$1>')
    actions.push({ kind: 'send', at, uid, place, message, text: line, parent, quoted })
    return { message, uid }
  }
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, days, hours, minutes, ago] = moment.exec(line) ?? []
    const [, quotes, speaker, said] = spoken.exec(line) ?? []
    const [, replier, replied] = reply.exec(line) ?? []
    const [, reaction, fans] = reactions.exec(line) ?? []
    const edited = edit.exec(line)?.[1]
    if (days !== undefined) at = timeOf(now, Number(days), Number(hours), Number(minutes))
    else if (ago !== undefined) at = Math.floor(now / 1000) - Number(ago) * 60
    else if (line.startsWith('read ')) {
      at += 15
      for (const uid of line.split(' ').slice(1)) actions.push({ kind: 'read', at, uid, place })
    } else if (speaker !== undefined && said !== undefined) {
      above = say(speaker, said, undefined, quotes ? last(line).message : undefined)
    } else if (replier !== undefined && replied !== undefined) {
      say(replier, replied, last(line).message)
    } else if (reaction !== undefined && fans !== undefined) {
      const { message } = last(line)
      for (const [nth, uid] of fans.split(' ').entries())
        actions.push({ kind: 'react', at: at + 5 * nth + 5, uid, place, message, reaction })
    } else if (edited !== undefined)
      actions.push({ kind: 'edit', at: at + 10, place, ...last(line), text: edited })
    else if (line === '  x') actions.push({ kind: 'delete', at: at + 12, place, ...last(line) })
    else if (line === '  pin') actions.push({ kind: 'pin', at: at + 14, place, ...last(line) })
    else throw new Error(`A talk cannot be read: ${line}`)
  }
  return actions
}

/** So many days ago, by the clock on this wall. */
function timeOf(now: number, days: number, hours: number, minutes: number): number {
  const date = new Date(now)
  date.setDate(date.getDate() - days)
  date.setHours(hours, minutes, 0, 0)
  return date.getTime() / 1000
}
