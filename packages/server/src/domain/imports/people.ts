import type { ImportedGroup, ImportedMember, imports } from '@chorale/contract/imports'
import type { Failure } from '../../pipeline/failure.ts'
import { Failure as Refusal } from '../../pipeline/failure.ts'
import type { Handlers } from '../../pipeline/handler.ts'
import type { Passwords } from '../../vault/passwords.ts'
import { findGroupsToFill, hashMissing, importGroups, importMembers } from '../groups/index.ts'
import { existingUids, importUsers, shownUser } from '../users/index.ts'
import { shownGroup } from '../views/index.ts'
import { objectionToKey, outcomeOf } from './outcomes.ts'

type All = Handlers<typeof imports, 'importGroups' | 'importMembers' | 'importMessages'>

export const importingUsers: All['importUsers'] = async ({ body: { users, update } }, ctx) => {
  const objections = objectionsTo(users, 'uid', ({ uid }) => uid)
  const wanted = Object.entries(users).flatMap(([key, user]) => (objections.has(key) ? [] : user))
  const results = await importUsers(ctx, wanted, update)
  const data = Object.entries(users).map(([key, { uid }]) => {
    const result = objections.get(key) ?? results.get(uid)
    const isStored = result !== undefined && !(result instanceof Refusal)
    return [key, outcomeOf(isStored ? shownUser(result, { withTags: true }) : result)]
  })
  return { data: Object.fromEntries(data) }
}

export const importingGroups = (passwords: Passwords): All['importGroups'] => ({
  async prepare({ body: { groups, update } }, before) {
    const objections = objectionsTo(groups, 'guid', ({ guid }) => guid)
    const wanted = Object.entries(groups).flatMap(([key, { groupOwnerDetails: _, ...group }]) =>
      objections.has(key) ? [] : group,
    )
    const hashed = await hashMissing(passwords, before, wanted)
    return async (ctx) => {
      await importUsers(ctx, ownersIn(Object.values(groups)))
      const results = await importGroups(ctx, hashed, update)
      const data = Object.entries(groups).map(([key, { guid }]) => {
        const result = objections.get(key) ?? results.get(guid)
        const isStored = result !== undefined && !(result instanceof Refusal)
        return [key, outcomeOf(isStored ? shownGroup(result, true) : result)]
      })
      return { data: Object.fromEntries(data) }
    }
  },
})

/** Whoever is there already is not changed by what a group says of its owner. */
function ownersIn(groups: readonly ImportedGroup[]) {
  return groups.flatMap(({ groupOwnerDetails }) => groupOwnerDetails ?? [])
}

export const importingMembers = (passwords: Passwords): All['importMembers'] => ({
  async prepare({ body: { members, update } }, before) {
    const objections = objectionsTo(members, 'memberId', ({ guid, uid }) => `${guid}_member_${uid}`)
    const all = Object.values(members)
    const hashed = await hashMissing(
      passwords,
      before,
      all.flatMap(({ groupDetails }) => groupDetails ?? []),
    )
    return async (ctx) => {
      await importUsers(
        ctx,
        all.flatMap(({ userDetails }) => userDetails ?? []),
      )
      const made = await importGroups(ctx, hashed)
      const wanted = Object.entries(members).filter(([key]) => !objections.has(key))
      const byGuid = Map.groupBy(wanted, ([, { guid }]) => guid)
      const uids = all.map(({ uid }) => uid)
      const existing = await existingUids(ctx.db, uids, { alone: true })
      const groups = await findGroupsToFill(ctx.db, [...byGuid.keys()])
      const results = new Map<string, Stored | Failure>(objections)
      for (const [guid, items] of [...byGuid].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
        const group = groups.get(guid)
        const given = items.map(itemOf)
        const found = group && (await importMembers(ctx, group, given, existing, update))
        for (const [key, { uid }] of items) {
          const at = found?.get(uid) ?? refusalOf(made.get(guid), guid)
          results.set(key, at instanceof Refusal ? at : { guid, uid, ...at })
        }
      }
      const data = Object.keys(members).map((key) => [key, outcomeOf(results.get(key))])
      return { data: Object.fromEntries(data) }
    }
  },
})

type Stored = Pick<Required<ImportedMember>, 'guid' | 'uid' | 'scope' | 'joinedAt'>

function itemOf([, member]: readonly [string, ImportedMember]): ImportedMember {
  return member
}

/** Why a group is not there: it could not be made of what was said of it, or nothing was. */
export function refusalOf(made: unknown, guid: string): Failure {
  return made instanceof Refusal ? made : new Refusal('ERR_GUID_NOT_FOUND', { guid })
}

function objectionsTo<T>(
  items: Readonly<Record<string, T>>,
  field: string,
  idOf: (item: T) => string,
): Map<string, Failure> {
  return new Map(
    Object.entries(items).flatMap(([key, item]) => {
      const objection = objectionToKey(key, field, idOf(item))
      return objection ? [[key, objection] as const] : []
    }),
  )
}
