import type { Db } from '../../../database/db.ts'
import { openLoader } from '../../../database/loader.ts'
import { findSeenUsers } from '../seen-users.sql.ts'
import { shown } from '../user-view.ts'
import { findRelationships, type RelationshipsQuestion } from './relationships.sql.ts'

const atOnce = { concurrency: 2, maxPerBatch: 100 }

/** What is asked about every user who connects: thousands come at once when a gateway is lost. */
export function openRelationships(db: Db) {
  const relationships = openLoader({
    ...atOnce,
    nameOf,
    fetch: (wanted: readonly RelationshipsQuestion[]) => findRelationships(db, wanted),
  })
  const selves = openLoader({
    ...atOnce,
    nameOf,
    fetch: (wanted: readonly RelationshipsQuestion[]) =>
      findSeenUsers(
        db,
        wanted.map((one) => ({ ...one, viewer: undefined })),
      ),
  })
  return {
    /** Whom a user knows: whose coming and going they hear of, and who is silent for them. */
    async relationshipsOf(appId: string, uid: string) {
      const { friends = [], blocked = [] } = (await relationships.load({ appId, uid })) ?? {}
      return { friends: new Set(friends), blocked: new Set(blocked) }
    },

    /** A user as they see themselves, as JSON text. */
    async serialiseSelf(appId: string, uid: string): Promise<string> {
      const row = await selves.load({ appId, uid })
      if (!row) throw new Error('The user is gone.')
      return JSON.stringify(shown(row, { withTags: true }))
    },
  }
}

function nameOf({ appId, uid }: RelationshipsQuestion): string {
  return `${appId} ${uid}`
}
