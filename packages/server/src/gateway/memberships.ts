import { openLoader } from '../database/loader.ts'
import type { Feed, Membership } from '../realtime/ports.ts'
import type { Identity } from './users.ts'

type User = Pick<Identity, 'appId' | 'uid'>

/** Every conversation of a user. */
export type Memberships = (user: User) => Promise<readonly Membership[]>

const atOnce = { concurrency: 2, maxPerBatch: 50 }

/** Those who come at the same moment ask together: of a lost gateway, thousands do. */
export function openMemberships(feed: Pick<Feed, 'membershipsOf'>): Memberships {
  const { load } = openLoader<User, readonly Membership[]>({
    ...atOnce,
    nameOf,
    async fetch(users) {
      const memberships = Map.groupBy(await feed.membershipsOf(users), nameOf)
      return users.map((user) => memberships.get(nameOf(user)))
    },
  })
  return async (user) => (await load(user)) ?? []
}

function nameOf({ appId, uid }: User): string {
  return `${appId} ${uid}`
}
