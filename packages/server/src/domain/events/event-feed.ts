import type { eventFeed } from '@chorale/contract/events'
import { decodeKey, encodeKey } from '../../database/keyset.ts'
import type { EventFeed, FeedPlace } from '../../outbox/feed.ts'
import { badRequest, Failure } from '../../pipeline/failure.ts'
import type { Handlers } from '../../pipeline/handler.ts'
import { publicEvents } from './public-event.ts'

export function eventFeedHandlers(feed: EventFeed): Handlers<typeof eventFeed> {
  return {
    async listEvents({ query: { after, limit } }, { app, db }) {
      const from = after === undefined ? undefined : placeIn(after)
      const page = await feed.read(app.appId, from, limit)
      if (page === 'gone') throw new Failure('ERR_EVENTS_GONE')
      if (page === 'away') {
        throw new Failure('ERR_MISSION_FAILED', {}, { headers: { 'Retry-After': '5' } })
      }
      const { events, next } = page
      return {
        data: await publicEvents(db, events),
        meta: {
          current: { limit, count: events.length },
          next: { affix: 'append', after: encodeKey([next.stream, next.seq, next.skip]) },
        },
      }
    },
  }
}

function placeIn(after: string): FeedPlace {
  const [stream, seq, skip] = decodeKey(after, ['string', 'number', 'number']) ?? []
  if (!(Number(seq) >= 1 && Number(skip) >= 0)) {
    throw badRequest('after', 'Pass back meta.next.after as it came.')
  }
  return { stream: String(stream), seq: Number(seq), skip: Number(skip) }
}
