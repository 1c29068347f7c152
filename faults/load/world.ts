import { choraleJson } from '../rig/chorale.ts'
import { outside, ports } from '../rig/layout.ts'
import { type App, insist } from './calls.ts'

/** What a run writes into: two apps of its own, so that its figures are its own. */
export interface World {
  readonly name: string
  /** Takes most of the messages. */
  readonly app: App
  /** Has a webhook, and takes a few. */
  readonly hooked: App
  readonly groups: readonly Group[]
  readonly devices: readonly {
    readonly uid: string
    readonly token: string
    readonly groups: readonly Group[]
  }[]
}

export interface Group {
  readonly app: App
  readonly guid: string
  readonly conversation: string
  readonly members: readonly string[]
}

const users = Array.from({ length: 40 }, (_, nth) => `u${nth}`)
const ordinaryGroups = 20
const hookedGroups = 2
const deviceUsers = ['u0', 'u8', 'u16', 'u24', 'u32']

export async function makeWorld(name: string): Promise<World> {
  const management = await choraleJson<{ key: string; secret: string }>(
    ...['management-key', 'create', '--name', name],
  )
  const operator = { key: management.key, secret: management.secret, host: 'apimgmt.localhost' }
  const app = await newApp(name, operator)
  const hooked = await newApp(`${name}-hooked`, operator)
  await addWebhook(hooked, operator)
  const groups: Group[] = []
  for (let nth = 0; nth < ordinaryGroups + hookedGroups; nth++) {
    groups.push(await newGroup(nth < ordinaryGroups ? app : hooked, `g${nth}`, nth))
  }
  const devices = await Promise.all(
    deviceUsers.map(async (uid) => {
      const path = `/v3/users/${uid}/auth_tokens`
      const call = { app, method: 'POST', path, body: { force: true } } as const
      const { data } = await insist<{ data: { authToken: string } }>(call)
      const own = groups.filter((group) => group.app === app && group.members.includes(uid))
      return { uid, token: data.authToken, groups: own }
    }),
  )
  return { name, app, hooked, groups, devices }
}

async function newApp(name: string, operator: Readonly<Record<string, string>>): Promise<App> {
  const made = await choraleJson<{ appId: string; apiKeys: { fullAccess: string } }>(
    ...['app', 'create', '--name', name],
  )
  const app = { appId: made.appId, apiKey: made.apiKeys.fullAccess }
  const limit = 1_000_000_000
  const settings = {
    'rateLimits.standard': limit,
    'rateLimits.core': limit,
    'rateLimits.device': limit,
  }
  const path = `/apps/${app.appId}/settings`
  await insist({ app, method: 'POST', path, headers: operator, body: { settings } })
  await Promise.all(
    users.map((uid) =>
      insist({ app, method: 'POST', path: '/v3/users', body: { uid, name: uid } }),
    ),
  )
  return app
}

async function addWebhook(app: App, operator: Readonly<Record<string, string>>): Promise<void> {
  const headers = { ...operator, 'X-Webhook-Version': '2' }
  const path = `/apps/${app.appId}/webhooks`
  const webhookURL = `http://${outside}:${ports.webhooks}/${app.appId}`
  const webhook = {
    id: 'checker',
    name: 'Checker',
    webhookURL,
    retryOnFailure: true,
    retryHours: 24,
  }
  await insist({ app, method: 'POST', path, headers, body: webhook })
  const triggers = { triggerIds: ['message_sent'] }
  await insist({ app, method: 'POST', path: `${path}/checker/triggers`, headers, body: triggers })
}

async function newGroup(app: App, guid: string, nth: number): Promise<Group> {
  const members = Array.from(
    { length: 8 },
    (_, at) => users[(nth * 2 + at * 5) % users.length] ?? 'u0',
  )
  const unique = [...new Set(members)]
  const [owner, ...participants] = unique
  const group = { guid, name: guid, type: 'public', owner }
  await insist({ app, method: 'POST', path: '/v3/groups', body: group })
  const path = `/v3/groups/${guid}/members`
  await insist({ app, method: 'POST', path, body: { participants } })
  return { app, guid, conversation: `group_${guid}`, members: unique }
}
