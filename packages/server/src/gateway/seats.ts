import { openLoader } from '../database/loader.ts'
import type { Feed, Identity, Seat } from './ports.ts'

type User = Pick<Identity, 'appId' | 'uid'>

/** Every conversation of a user. */
export type Seats = (user: User) => Promise<readonly Seat[]>

const atOnce = { concurrency: 2, mostPerBatch: 50 }

/** Those who come at the same moment ask together: of a lost gateway, thousands do. */
export function openSeats(feed: Pick<Feed, 'seatsOf'>): Seats {
  const { load } = openLoader<User, readonly Seat[]>({
    ...{ ...atOnce, nameOf },
    async fetch(users) {
      const seats = Map.groupBy(await feed.seatsOf(users), nameOf)
      return users.map((user) => seats.get(nameOf(user)))
    },
  })
  return async (user) => (await load(user)) ?? []
}

function nameOf({ appId, uid }: User): string {
  return `${appId} ${uid}`
}
