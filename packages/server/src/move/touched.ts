import { importItems, leftoversIn } from './batches.ts'
import type { Heard, Touched } from './heard.ts'
import type { ListedConversation, ListedGroup, ListedMessage } from './listed.ts'
import { moveMembersOf } from './members.ts'
import { importPage } from './messages.ts'
import type { Moving } from './moving.ts'
import { importGroups } from './people.ts'
import { positionOf, thereNow } from './positions.ts'
import { moveRelationsOf } from './relations.ts'
import { Refused } from './side.ts'

/** About a hundred lines: whoever stops the program waits for these. */
const bytesWhileFollowing = 4 * 1024
const bytesAtCutOver = 64 * 1024

interface Pace {
  /** Stops it after the piece that it is at. */
  readonly signal?: AbortSignal
  /** Others have been read already. */
  readonly isNeeded?: (touched: Touched) => boolean
}

/** Reads again what webhooks have told of, up to a place. What was new then is on the new side already. */
export async function catchUpOnHeard(
  moving: Moving,
  heard: Heard,
  end: number,
  { signal, isNeeded = () => true }: Pace,
): Promise<void> {
  while (!signal?.aborted) {
    const piece = heard.next(end, signal ? bytesWhileFollowing : bytesAtCutOver)
    if (!piece) return
    const touched = piece.touched.filter(isNeeded)
    const related = moving.withRelations ? only(touched, 'relations') : []
    await Promise.all([
      moveMessagesAgain(moving, only(touched, 'message')),
      moveReaders(moving, only(touched, 'reader')),
      ...only(touched, 'group').map(({ guid }) => moveGroupAgain(moving, guid)),
      ...related.map(({ uid }) => moveRelationsOf(moving, uid)),
    ])
    heard.done(piece.place)
  }
}

function only<K extends Touched['is']>(touched: readonly Touched[], is: K) {
  return touched.filter((one): one is Extract<Touched, { is: K }> => one.is === is)
}

async function moveMessagesAgain(
  moving: Moving,
  touched: readonly { readonly id: string }[],
): Promise<void> {
  const found = await Promise.all(
    touched.map(({ id }) =>
      orNothing(moving.from.get<{ data: ListedMessage }>(`/messages/${id}`, { withTags: true })),
    ),
  )
  const messages = found.flatMap((one) => one?.data ?? [])
  if (messages.length > 0) await importPage(moving, messages, true)
}

async function moveGroupAgain(moving: Moving, guid: string): Promise<void> {
  const { from, to } = moving
  const path = `/groups/${guid}`
  const found = await orNothing(from.get<{ data: ListedGroup }>(path, { withTags: true }))
  if (found) {
    await importGroups(moving, [found.data])
    await moveMembersOf(moving, guid)
  } else await orNothing(to.delete(path))
}

async function moveReaders(
  { from, to, state }: Moving,
  readers: readonly Extract<Touched, { is: 'reader' }>[],
): Promise<void> {
  const found = await Promise.all(
    readers.map(async ({ uid, type, with: other }) => {
      const path = `/${type === 'group' ? 'groups' : 'users'}/${other}/conversation`
      const get = from.get<{ data: ListedConversation | readonly ListedConversation[] }>(
        path,
        {},
        uid,
      )
      const listed = [(await orNothing(get))?.data ?? []].flat()[0]
      return listed && positionOf({ ...listed, uid })
    }),
  )
  const positions = new Map(found.flatMap((one) => (one ? [one] : [])))
  const outcomes = await importItems({ to, kind: 'conversations' }, positions)
  state.leave(leftoversIn('positions', thereNow(outcomes)))
}

/** Undefined: it is not there, or not any more. */
async function orNothing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof Refused && error.status < 500) return undefined
    throw error
  }
}
