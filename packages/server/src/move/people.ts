import { randomBytes } from 'node:crypto'
import { importItems, leftoversIn } from './batches.ts'
import { groupFields, userFields } from './forms.ts'
import { type ListedGroup, type ListedUser, pick } from './listed.ts'
import { groupsOf, usersOf } from './lists.ts'
import type { Moving } from './moving.ts'
import { Refused, type Side } from './side.ts'
import type { Leftover } from './state.ts'

export interface Role {
  readonly role: string
  readonly name: string
  readonly description?: string
  readonly metadata?: object
  readonly settings?: object
}

/** Few; made by the usual call, because users name them. */
export async function moveRoles({ from, to, state }: Moving): Promise<void> {
  if (state.step('roles').done) return
  const there = new Set((await rolesOf(to)).map(({ role }) => role))
  const missing = (await rolesOf(from)).filter(({ role }) => !there.has(role))
  for (const role of missing) state.leave(await makeRole(to, role))
  state.save('roles', { done: true, count: missing.length })
}

export async function rolesOf(side: Side): Promise<readonly Role[]> {
  const { data } = await side.get<{ data: readonly Role[] }>('/roles', { perPage: 1000 })
  return data
}

/** What could not be made. */
export async function makeRole(to: Side, given: Role): Promise<Leftover[]> {
  const { role, name, description, metadata, settings } = given
  try {
    await to.post('/roles', { role, name, description, metadata, settings })
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    // Made by a call whose answer was lost.
    if (error.code !== 'ERR_ROLE_ALREADY_EXISTS') {
      return [{ kind: 'roles', id: role, why: error.message }]
    }
  }
  return []
}

export async function moveUsers(moving: Moving): Promise<void> {
  const { from, to, state, progress } = moving
  let { done, count, place } = state.step('users')
  if (done) return
  for await (const { items, next } of usersOf(from, place)) {
    const users = new Map<string, object>()
    for (const user of items.filter(({ uid }) => uid !== systemUid)) {
      const authTokens = moving.withTokens ? await tokensOf(from, user.uid) : undefined
      users.set(user.uid, { ...userDetails(user), authTokens })
    }
    const outcomes = await importItems({ to, kind: 'users', with: { update: true } }, users)
    state.leave(leftoversIn('users', outcomes))
    count += items.length
    place = next
    state.save('users', { done: false, count, place })
    progress('users', count)
  }
  state.save('users', { done: true, count })
}

/** Every app has its own. */
export const systemUid = 'app_system'

export async function tokensOf(from: Side, uid: string): Promise<string[]> {
  const path = `/users/${uid}/auth_tokens`
  const { data } = await from.get<{ data: readonly { authToken: string }[] }>(path, {
    perPage: 100,
  })
  return data.map(({ authToken }) => authToken)
}

/** What an import takes of a user. */
export function userDetails(user: ListedUser): object {
  return pick(user, ['uid', ...userFields, 'lastActiveAt'])
}

/** What an import takes of a group. A password cannot be read: a new one is drawn, which nobody knows. */
export function groupDetails(group: ListedGroup): object {
  const password = group.type === 'password' ? randomBytes(16).toString('hex') : undefined
  return { ...pick(group, ['guid', ...groupFields]), password }
}

export async function moveGroups({ from, to, state, progress }: Moving): Promise<void> {
  let { done, count, place } = state.step('groups')
  if (done) return
  for await (const { items, next } of groupsOf(from, place)) {
    await importGroups({ to, state }, items)
    count += items.length
    place = next
    state.save('groups', { done: false, count, place })
    progress('groups', count)
  }
  state.save('groups', { done: true, count })
}

export async function importGroups(
  { to, state }: Pick<Moving, 'to' | 'state'>,
  listed: readonly ListedGroup[],
): Promise<void> {
  const groups = new Map(listed.map((group) => [group.guid, groupDetails(group)]))
  const outcomes = await importItems({ to, kind: 'groups', with: { update: true } }, groups)
  state.leave(leftoversIn('groups', outcomes))
  state.leave(
    listed
      .filter(({ type }) => type === 'password')
      .map(({ guid }) => ({ kind: 'passwords', id: guid, why: 'Set it again.' })),
  )
}
