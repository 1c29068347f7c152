import type { ListedConversation, ListedGroup, ListedUser } from '../move/listed.ts'
import { detailsIn } from '../move/messages.ts'
import { userDetails } from '../move/people.ts'
import { Refused, type Side } from '../move/side.ts'
import { PlainError } from '../plain-error.ts'
import { conversationItem, groupItem, messagePages } from './app-steps.ts'
import type { Item } from './format.ts'
import { membersIn } from './members.ts'
import type { Step } from './steps.ts'

type Ends = { readonly guid: string } | { readonly uids: readonly [string, string] }

/** As lists show it: `group_<guid>`, or `<uid>_user_<uid>`. */
function endsOf(conversationId: string): Ends {
  if (conversationId.startsWith('group_')) return { guid: conversationId.slice('group_'.length) }
  const [one, other, ...rest] = conversationId.split('_user_')
  if (!one || !other || rest.length > 0) {
    throw new PlainError('--conversation: use an id as lists show it: group_team or ann_user_bob.')
  }
  return { uids: [one, other] }
}

/** One conversation: who is in it, what was said, and what they have read. */
export function conversationSteps(conversationId: string): readonly Step[] {
  const ends = endsOf(conversationId)
  return [
    {
      name: 'people',
      async *pages({ from }) {
        yield* 'guid' in ends ? groupPages(from, ends.guid) : userPages(from, ends.uids)
      },
    },
    {
      name: 'messages',
      // Whoever has left the group is shown with their messages.
      pages: (source, place) => messagePages(source, place, { conversationId }, detailsIn),
    },
    {
      name: 'conversations',
      async *pages({ from }) {
        for (const [uid, path] of await viewsOf(from, ends)) {
          yield { items: await positionOf(from, uid, path) }
        }
        yield { items: [], next: {} }
      },
    },
  ]
}

async function* groupPages(from: Side, guid: string) {
  const { data: group } = await from.get<{ data: ListedGroup }>(`/groups/${guid}`, {
    withTags: true,
  })
  yield { items: await usersNamed(from, [group.owner]) }
  yield { items: [groupItem(group)] }
  for await (const members of membersIn(from, guid)) {
    const users = await usersNamed(from, members.map(uidIn))
    yield { items: [...users, ...members] }
  }
  yield { items: [], next: {} }
}

async function* userPages(from: Side, uids: readonly string[]) {
  yield { items: await usersNamed(from, uids), next: {} }
}

function uidIn({ item }: Item): string {
  return 'uid' in item ? String(item.uid) : ''
}

function usersNamed(from: Side, uids: readonly (string | undefined)[]): Promise<Item[]> {
  const known = uids.filter((uid) => uid !== undefined)
  return Promise.all(
    known.map(async (uid): Promise<Item> => {
      const { data } = await from.get<{ data: ListedUser }>(`/users/${uid}`, { withTags: true })
      return { kind: 'user', item: userDetails(data) }
    }),
  )
}

/** Who sees it, and by which call. */
async function viewsOf(from: Side, ends: Ends): Promise<(readonly [string, string])[]> {
  if ('uids' in ends) {
    const [one, other] = ends.uids
    return [
      [one, `/users/${other}/conversation`],
      [other, `/users/${one}/conversation`],
    ]
  }
  const path = `/groups/${ends.guid}/conversation`
  const views: (readonly [string, string])[] = []
  for await (const members of membersIn(from, ends.guid)) {
    views.push(...members.map((member) => [uidIn(member), path] as const))
  }
  return views
}

async function positionOf(from: Side, uid: string, path: string): Promise<Item[]> {
  try {
    const { data } = await from.get<{ data: readonly ListedConversation[] }>(path, {}, uid)
    return data.flatMap((one) => conversationItem(one, uid))
  } catch (error) {
    // Banned, or it was reset by them.
    if (error instanceof Refused && error.status < 500) return []
    throw error
  }
}
