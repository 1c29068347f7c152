import { getHeapStatistics } from 'node:v8'
import type { Db } from '../../../database/db.ts'
import { type Loader, openLoader } from '../../../database/loader.ts'
import type { EntryRow } from '../../log/entries/index.ts'
import { findPages, type PageQuestion, pageName } from './history-page.sql.ts'
import {
  findGroupPlaces,
  findUserPlaces,
  type GroupPlace,
  type HistoryPlace,
  type PlaceQuestion,
  placeName,
} from './history-scope.sql.ts'
import { openNewestPages } from './newest-pages.ts'

/** What most requests for history want to know: those of one moment ask together. */
export interface HistoryReads {
  /** Undefined: there is no such group. */
  readonly groupPlace: Loader<PlaceQuestion, GroupPlace>
  /** Undefined: there is no such user. */
  readonly userPlace: Loader<PlaceQuestion, HistoryPlace>
  page(question: PageQuestion): Promise<readonly EntryRow[]>
}

/** Nobody waits for a long page but who asked for it. */
export const longestShared = 100

/** Of the memory that this process may take, so much is for pages that were read before. */
const shareForPages = 1 / 16

export function openHistoryReads(db: Db): HistoryReads {
  const together = { concurrency: 2, maxPerBatch: 20 }
  const newest = openNewestPages(getHeapStatistics().heap_size_limit * shareForPages)
  const places = { ...together, nameOf: placeName }
  const pages = openLoader({
    fetch: (questions: readonly PageQuestion[]) => findPages(db, questions),
    nameOf: pageName,
    ...together,
  })
  return {
    groupPlace: openLoader({
      ...places,
      fetch: (questions) => findGroupPlaces(db, questions, newest),
    }),
    userPlace: openLoader({
      ...places,
      fetch: (questions) => findUserPlaces(db, questions, newest),
    }),
    async page(question) {
      const shared = question.limit <= longestShared
      const rows = shared ? await pages.load(question) : (await findPages(db, [question]))[0]
      return rows ?? []
    },
  }
}
