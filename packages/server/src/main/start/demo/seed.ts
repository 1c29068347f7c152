import { appSeeds } from '../../../api.ts'
import type { Config } from '../../../config.ts'
import { archiveAppNow, createApp } from '../../../domain/apps/index.ts'
import { openTransactions } from '../../../outbox/unit-of-work.ts'
import { openLog } from '../../log.ts'
import { openCalls } from '../../parts/calls.ts'
import { type Core, openCore } from '../../parts/core.ts'
import { buildCallServer } from '../../parts/listener.ts'
import type { DataFolder, Demo } from '../data-folder.ts'
import { groups, people } from './people.ts'
import { type Action, actionsOf, type Place } from './script.ts'
import { cakes } from './talk/cakes.ts'
import { committee } from './talk/committee.ts'
import { concert } from './talk/concert.ts'
import { lowVoices } from './talk/low-voices.ts'
import { pairs } from './talk/pairs.ts'

const talks: Readonly<Record<string, string>> = {
  concert,
  committee,
  'low-voices': lowVoices,
  cakes,
}

const daySeconds = 86_400

/** For people of the demo to try: such a message is seen by its sender alone. */
const noFreeTickets = {
  id: 'no-free-tickets',
  name: 'No free tickets',
  conditions: [{ value: 'free tickets' }],
  action: ['blockMessage'],
}

type Call = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  as?: string,
  body?: object,
) => Promise<Answer>

interface Answer {
  readonly data: { readonly id?: string }
}

/**
 * An app with people, groups and a week of talk. All of it is said by calls of the API, in the order
 * of their times, to a service in this process whose clock stands at the time of each call.
 */
export async function seedDemo(
  config: Config,
  folder: DataFolder,
  signal: AbortSignal,
): Promise<Demo> {
  const now = Date.now()
  const end = Math.floor(now / 1000)
  const actions = script(now)
  let clock = Math.min(end, ...actions.map(({ at }) => at)) - daySeconds
  const log = openLog('error', `${folder.path}/chorale.log`)
  // What is committed stays in the outbox: the service that starts next publishes it.
  await using core = await openCore({ config, log, clock: () => clock, publishes: false })
  await archiveUnfinished(core, folder.state.unfinishedApp)
  const demo = await createDemoApp(core, clock)
  folder.keep({ unfinishedApp: demo.appId })
  await using calls = await openCalls(core, { lazyValidation: true })
  const server = buildCallServer(core, calls, 'chat')
  const call: Call = async (method, path, as, body = {}) => {
    const response = await server.inject({
      method,
      url: `/v3${path}`,
      headers: { appId: demo.appId, apikey: demo.apiKey, ...(as && { onBehalfOf: as }) },
      payload: body,
    })
    if (response.statusCode === 200) return response.json<Answer>()
    throw new Error(`The demo was refused at ${method} ${path}: ${response.body}`)
  }
  await gather(call)
  const ids = new Map<number, string>()
  for (const action of actions) {
    signal.throwIfAborted()
    clock = action.at
    await play(call, action, ids)
  }
  await call('POST', '/moderation/rules', undefined, noFreeTickets)
  await server.close()
  return demo
}

/** How much of it there is, for who wants to say so. */
export const demoSize = `${people.length} people, ${groups.length} groups, ${script(Date.now()).filter(({ kind }) => kind === 'send').length} messages`

/** What happens in all talks, by time; what is later than now is left out. */
function script(now: number): Action[] {
  const numbering = { next: 0 }
  const inGroups = groups.flatMap(({ guid }) =>
    actionsOf(talks[guid] ?? '', { receiverType: 'group', names: [guid] }, now, numbering),
  )
  const inPairs = pairs.flatMap((talk) => {
    const [first = '', ...lines] = talk.split('\n')
    const place: Place = { receiverType: 'user', names: first.split(' ') }
    return actionsOf(lines.join('\n'), place, now, numbering)
  })
  return [...inGroups, ...inPairs].filter(({ at }) => at * 1000 <= now).sort((a, b) => a.at - b.at)
}

/** One that an interrupted `start` has left behind. */
async function archiveUnfinished(
  { background, onCommit, clock }: Core,
  appId: string | undefined,
): Promise<void> {
  if (appId === undefined) return
  const transactions = openTransactions({ begin: background.transaction, onCommit, clock })
  await transactions.inApp(appId, archiveAppNow)
}

async function createDemoApp({ background, vault }: Core, now: number): Promise<Demo> {
  const { row, keys } = await background.transaction((db) =>
    createApp({ db }, vault, appSeeds, { name: 'Demo', region: 'us' }, now),
  )
  return {
    appId: row.appId,
    apiKey: keys.fullAccess.apiKey,
    authOnlyKey: keys.authOnly.apiKey,
  }
}

async function gather(call: Call): Promise<void> {
  for (const person of people) await call('POST', '/users', undefined, person)
  for (const { members, ...group } of groups) {
    const [owner, ...participants] = members
    await call('POST', '/groups', owner, {
      ...group,
      type: 'public',
      members: { participants },
    })
  }
}

async function play(call: Call, action: Action, ids: Map<number, string>): Promise<void> {
  const { uid, place } = action
  const idOf = (message: number) => ids.get(message) ?? ''
  if (action.kind === 'read') {
    await call('POST', `${pathOf(place, uid)}/conversation/read`, uid)
  } else if (action.kind === 'send') {
    const { message, text, parent, quoted } = action
    const { data } = await call('POST', '/messages', uid, {
      receiver: otherIn(place, uid),
      receiverType: place.receiverType,
      data: { text },
      ...(parent !== undefined && { parentId: idOf(parent) }),
      ...(quoted !== undefined && { quotedMessageId: idOf(quoted) }),
    })
    ids.set(message, data.id ?? '')
  } else {
    const path = `/messages/${idOf(action.message)}`
    if (action.kind === 'edit') await call('PUT', path, uid, { data: { text: action.text } })
    else if (action.kind === 'delete') await call('DELETE', path, uid)
    else if (action.kind === 'pin') await call('POST', `${path}/pin`)
    else await call('POST', `${path}/reactions/${encodeURIComponent(action.reaction)}`, uid)
  }
}

function otherIn({ names }: Place, uid: string): string {
  return names.find((name) => name !== uid) ?? ''
}

function pathOf(place: Place, uid: string): string {
  const kind = place.receiverType === 'group' ? 'groups' : 'users'
  return `/${kind}/${otherIn(place, uid)}`
}
