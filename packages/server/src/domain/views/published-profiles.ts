import type { AppendedEntry } from '../../outbox/committed.ts'
import type { UserRow } from '../users/index.ts'
import type { GroupRow } from './counterparts.sql.ts'
import type { Found, ProfileLoader } from './counterparts.ts'

const noGroups = new Map<string, GroupRow>()

/** Those who came with these entries are known; the others are looked up. */
export function withPublished(
  people: ProfileLoader,
  entries: readonly AppendedEntry[],
): ProfileLoader {
  const userOf = new Map<string, UserRow>()
  const groupOf = new Map<string, GroupRow>()
  for (const { profiles } of entries) {
    if (!profiles) continue
    // Written by the domain, in another process of this install.
    const { users, groups } = profiles as Found
    for (const row of users) userOf.set(row.uid, row)
    for (const row of groups) groupOf.set(row.guid, row)
  }
  return {
    async find(wanted, viewer) {
      if (wanted.blocks) return people.find(wanted, viewer)
      const users = split(userOf, wanted.uids)
      // A member sees more of a group than what came.
      const groups = split(viewer === undefined ? groupOf : noGroups, wanted.guids)
      const known = { users: users.rows, groups: groups.rows }
      if (users.missing.length + groups.missing.length === 0) return known
      const soon = { uids: users.missing, guids: groups.missing, blocks: false }
      const found = await people.find(soon, viewer)
      return {
        users: [...known.users, ...found.users],
        groups: [...known.groups, ...found.groups],
      }
    },
    moves: people.moves,
  }
}

function split<T>(rowOf: ReadonlyMap<string, T>, names: readonly string[]) {
  const rows: T[] = []
  const missing: string[] = []
  for (const name of names) {
    const row = rowOf.get(name)
    if (row) rows.push(row)
    else missing.push(name)
  }
  return { rows, missing }
}
