import { importItems, type Outcome, withoutRepeats } from '../batches.ts'
import type { ListedMessage } from '../listed.ts'
import { messagesOf } from '../lists.ts'
import { muidOf, plainItemOf, spanOf } from '../messages.ts'
import type { Moving } from '../moving.ts'
import { Refused } from '../side.ts'
import type { Leftover } from '../state.ts'
import { attachmentsIn } from './links.ts'
import type { MovingFiles, Wish } from './moving-files.ts'

const messagesAtOnce = 20
const filesAtOnce = 4

/**
 * Files that messages link to become files of the new side. Last, because it takes longest: everything
 * else is there by then. Called again when it was done, it tries again what stayed a link.
 */
export async function moveFiles(moving: Moving): Promise<void> {
  const { files, state } = moving
  if (!files) return
  if (state.step('files').done) {
    files.record.retryLeft()
    state.forget(['files'])
    state.save('files', { ...state.step('files'), done: false })
  }
  await scan(moving, files)
  await moveQueued(moving)
  state.save('files', { ...state.step('files'), done: true, count: files.record.count('ready') })
}

/** Finds messages with files, behind those that were looked through before. */
async function scan({ from, state, progress }: Moving, files: MovingFiles): Promise<void> {
  const hosts = files.hosts.names.toSorted().join(',')
  if (!files.record.isScanOf(hosts)) {
    state.restart('files')
    files.record.beginScan(hosts)
  }
  const span = await spanOf(from)
  const { lastId } = state.step('files')
  for await (const page of messagesOf(from, lastId === undefined ? undefined : { id: lastId })) {
    files.queue(page)
    const id = page.at(-1)?.id ?? '0'
    state.save('files', { ...state.step('files'), lastId: id })
    const share = (Number(id) - span.first) / (span.last - span.first || 1)
    progress('files found', files.record.waiting, share)
  }
}

/** Files of the messages that were found, until there are no more. */
export async function moveQueued(moving: Moving, signal?: AbortSignal): Promise<void> {
  const { files, state, progress } = moving
  if (!files) return
  const { record } = files
  const all = record.waiting
  while (!signal?.aborted) {
    const ids = record.next(messagesAtOnce)
    if (ids.length === 0) return
    const found = await Promise.all(ids.map((id) => messageOf(moving, id)))
    const messages = found.filter((one) => one !== undefined)
    const gone = ids.filter((id) => !messages.some((one) => one.id === id))
    for (const id of gone) record.done(id)
    await moveFilesOf(moving, files, messages, signal)
    const count = record.count('ready')
    state.save('files', { ...state.step('files'), count })
    progress('files', count, all === 0 ? undefined : 1 - record.waiting / all)
  }
}

/** As it is now, with addresses that are valid now. */
async function messageOf({ from }: Moving, id: string): Promise<ListedMessage | undefined> {
  try {
    return (await from.get<{ data: ListedMessage }>(`/messages/${id}`, { withTags: true })).data
  } catch (error) {
    if (error instanceof Refused && error.status < 500) return undefined
    throw error
  }
}

async function moveFilesOf(
  moving: Moving,
  files: MovingFiles,
  messages: readonly ListedMessage[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const wishes = new Map<string, Wish>()
  for (const wish of messages.flatMap((one) => files.wishesOf(one))) {
    wishes.set(`${wish.sender} ${wish.link}`, wish)
  }
  const waiting = [...wishes.values()]
  const work = async (slot: number) => {
    for (let wish = waiting.shift(); wish; wish = waiting.shift()) {
      if (signal?.aborted) return
      await files.move(moving.to, wish, slot)
    }
  }
  await Promise.all(Array.from({ length: filesAtOnce }, (_, slot) => work(slot)))
  if (signal?.aborted) return
  for (const some of withoutRepeats(messages, muidOf)) await nameFiles(moving, files, some)
}

/** The messages name their files; nobody is told, and it is no edit. */
async function nameFiles(
  { to, state }: Moving,
  files: MovingFiles,
  messages: readonly ListedMessage[],
): Promise<void> {
  const hasFile = (message: ListedMessage) =>
    files.wishesOf(message).some((wish) => files.record.find(wish)?.state === 'ready')
  const items = new Map<string, object>(
    messages.filter(hasFile).map((message) => {
      const item = plainItemOf(message)
      return [item.muid, { ...item, data: files.named(message, item.data) }]
    }),
  )
  const importing = { to, kind: 'messages', with: { unread: true, update: true } }
  const outcomes = await importItems(importing, items)
  for (const message of messages) {
    const left = [
      ...unmoved(files, message),
      ...notNamed(files, message, outcomes.get(muidOf(message))),
    ]
    state.leave(left)
    if (left.length > 0) files.record.leave(message.id)
    else files.record.done(message.id)
  }
}

function unmoved(files: MovingFiles, message: ListedMessage): Leftover[] {
  return files.wishesOf(message).flatMap((wish) => {
    const known = files.record.find(wish)
    if (known?.state === 'ready') return []
    const why = known?.state === 'left' ? known.why : 'is being checked: call the move again'
    return [{ kind: 'files', id: message.id, why: `${wish.attachment.url} ${why}` }]
  })
}

/** The new side has not taken them: the message was changed there since. */
function notNamed(
  files: MovingFiles,
  message: ListedMessage,
  outcome: Outcome | undefined,
): Leftover[] {
  if (!outcome) return []
  const { id } = message
  const { success, error, data } = outcome
  if (!success) return [{ kind: 'files', id, why: `${error?.code}: ${error?.message}` }]
  if (data?.deletedAt !== undefined) return []
  const there = new Set(attachmentsIn(data?.data).map(({ uploadId }) => uploadId))
  const isThere = (wish: Wish) => {
    const known = files.record.find(wish)
    return known?.state !== 'ready' || there.has(known.uploadId)
  }
  const isNamed = files.wishesOf(message).every(isThere)
  return isNamed ? [] : [{ kind: 'files', id, why: 'The message was changed on the new side.' }]
}
