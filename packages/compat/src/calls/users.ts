import { restClient } from '@chorale/sdk'
import { type User, userBody, userOf } from '../entities/user.ts'
import { remember } from '../session/people.ts'
import { ask, currentApp, currentLogin, refusing, setLogin, uidOfMe } from '../session/state.ts'

/** With a key: for servers, and for trying things out. */
function keyed(apiKey: string) {
  const { appId, address } = currentApp()
  return restClient({ baseUrl: address.baseUrl, appId, apiKey })
}

export function createUser(user: User, authKey: string): Promise<User> {
  const { uid, name } = user
  return refusing(async () => {
    const { data } = await keyed(authKey).createUser({ body: { ...userBody(user), uid, name } })
    return userOf(data)
  })
}

export function updateUser(user: User, authKey: string): Promise<User> {
  const params = { uid: user.uid }
  return refusing(async () =>
    userOf((await keyed(authKey).updateUser({ params, body: userBody(user) })).data),
  )
}

export async function updateCurrentUserDetails(user: User): Promise<User> {
  const { role: _, ...body } = userBody(user)
  const { data } = await ask('updateMe', { body })
  setLogin({ ...currentLogin(), user: data })
  return userOf(data)
}

export async function getUser(uid: string): Promise<User> {
  const { data } = await ask('getUser', { params: { uid } })
  remember(data)
  return userOf(data)
}

export async function getOnlineUserCount(): Promise<number> {
  const { meta } = await ask('listUsers', {
    query: { status: 'available', count: true, perPage: 1 },
  })
  return meta.pagination.total
}

/** By uid: `success` or `fail`. */
type Outcomes = Record<string, 'success' | 'fail'>

function outcomesOf(rows: Readonly<Record<string, { readonly success: boolean }>>): Outcomes {
  return Object.fromEntries(
    Object.entries(rows).map(([uid, { success }]) => [uid, success ? 'success' : 'fail']),
  )
}

export async function blockUsers(uids: readonly string[]): Promise<Outcomes> {
  const body = { blockedUids: uids }
  return outcomesOf((await ask('blockUsers', { params: { uid: uidOfMe() }, body })).data)
}

export async function unblockUsers(uids: readonly string[]): Promise<Outcomes> {
  const body = { blockedUids: uids }
  return outcomesOf((await ask('unblockUsers', { params: { uid: uidOfMe() }, body })).data)
}
