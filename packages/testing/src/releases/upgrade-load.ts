import type { Api } from '@chorale/contract/api'
import type { Client } from '@chorale/contract/operation'
import { restClient } from '@chorale/sdk'
import { type Room, type Someone, seedCrowd } from '../fleet/crowd.ts'
import { openSimulatedClient, type SimulatedClient } from '../fleet/simulated-client.ts'
import { openReceiver, type Receiver } from '../network/receiver.ts'
import { send } from '../network/wire.ts'
import type { Acknowledged } from '../sends/verdict.ts'
import { givenWith } from '../service/builders.ts'
import { startSteadyLoad } from '../steady-load.ts'
import type { Phases } from './phases.ts'

export interface AppAccess {
  readonly appId: string
  readonly apiKey: string
  readonly management: { readonly key: string; readonly secret: string }
}

/** People who call without a pause; their devices and a webhook receive what they send. */
export interface UpgradeLoad extends AsyncDisposable {
  readonly appId: string
  readonly client: Client<Api>
  readonly acknowledged: readonly Acknowledged[]
  readonly devices: readonly SimulatedClient[]
  readonly receiver: Receiver
  /** Stops the calls, and sends a last message to every conversation. */
  finish(): Promise<readonly Acknowledged[]>
}

const size = { people: 4, groups: 2 }

export async function startUpgradeLoad(
  origin: string,
  { appId, apiKey, management }: AppAccess,
  phases: Phases,
): Promise<UpgradeLoad> {
  await using stack = new AsyncDisposableStack()
  const client: Client<Api> = restClient({
    baseUrl: `${origin}/v3`,
    appId,
    apiKey,
    management: { url: 'http://apimgmt.example', ...management },
    fetch: fetchAnew(origin),
  })
  const receiver = stack.use(await openReceiver())
  const people = await seedCrowd({ appId, as: () => client, given: givenWith(client) }, size)
  await client.createWebhook({
    params: { appId },
    headers: { 'X-Webhook-Version': 2 },
    body: { id: 'hook', name: 'hook', webhookURL: receiver.url, triggers: ['message_sent'] },
  })
  const { acknowledged, acknowledge, sendEverywhere } = openSends(client, people)
  // A device may name only conversations that are there.
  await sendEverywhere('first')
  const devices = people.map((one) => stack.use(openSimulatedClient(one, origin, appId)))
  const loads = devices.map((device) => {
    const { someone } = device
    const round = async (number: number) => {
      const room = someone.rooms[number % someone.rooms.length]
      if (!room) throw new Error('Everyone has rooms.')
      const muid = `m${number}`
      const bySocket = number % 4 === 0
      const id = bySocket
        ? await phases.measure('socketSend', () => device.send(room, muid, muid))
        : await phases.measure('request', () => post(client, someone, room, muid))
      if (id !== undefined) acknowledge(someone, room, muid, id)
      for (const read of readsOf(client, someone, room)) await phases.measure('request', read)
      return undefined
    }
    return stack.use(startSteadyLoad(1, round))
  })
  const owned = stack.move()
  return {
    appId,
    client,
    acknowledged,
    devices,
    receiver,
    async finish() {
      await Promise.all(loads.map((load) => load.stop()))
      return sendEverywhere('last')
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function openSends(client: Client<Api>, people: readonly Someone[]) {
  const acknowledged: Acknowledged[] = []
  const acknowledge = ({ uid }: Someone, { conversation }: Room, muid: string, id: number) => {
    const message = { conversation, sender: uid, muid, ids: [id] }
    acknowledged.push(message)
    return message
  }
  const rooms = new Map(
    people.flatMap((one) => one.rooms.map((room) => [room.conversation, { one, room }] as const)),
  )
  const sendEverywhere = (muid: string) =>
    Promise.all(
      [...rooms.values()].map(async ({ one, room }) =>
        acknowledge(one, room, muid, await post(client, one, room, muid)),
      ),
    )
  return { acknowledged, acknowledge, sendEverywhere }
}

async function post(client: Client<Api>, { uid }: Someone, room: Room, muid: string) {
  const { receiver, receiverType } = room
  const body = { receiver, receiverType, muid, data: { text: muid } }
  const { data } = await client.sendMessage({ onBehalfOf: uid, body })
  return 'id' in data ? Number(data.id) : Number.NaN
}

/** A page of messages, the list of conversations, a position that moves, a user. */
function readsOf(
  client: Client<Api>,
  { uid: onBehalfOf }: Someone,
  { conversation: conversationId, receiver, receiverType }: Room,
): readonly (() => Promise<unknown>)[] {
  return [
    () => client.listMessages({ query: { conversationId, limit: 50 }, onBehalfOf }),
    () => client.listConversations({ query: {}, onBehalfOf }),
    () =>
      receiverType === 'group'
        ? client.markGroupConversationRead({ params: { guid: receiver }, onBehalfOf })
        : client.markUserConversationRead({ params: { uid: receiver }, onBehalfOf }),
    () => client.getUser({ params: { uid: onBehalfOf } }),
  ]
}

/** Each request on a connection of its own: the balancer leads it to a server of its moment. */
function fetchAnew(origin: string): typeof fetch {
  return async (address, init) => {
    const { host, pathname, search } = new URL(String(address))
    const { status, text } = await send(origin, {
      // The client names a method, and its headers as a record.
      method: init?.method as string,
      headers: { ...(init?.headers as Record<string, string>), host, connection: 'close' },
      path: pathname + search,
      body: typeof init?.body === 'string' ? init.body : undefined,
      deadlineMs: 60_000,
    })
    return new Response(text, { status })
  }
}
