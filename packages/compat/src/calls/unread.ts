import { ask } from '../session/state.ts'

type Counts = Record<string, number>

async function counts(): Promise<{ users: Counts; groups: Counts }> {
  const { data } = await ask('listMessages', { query: { unread: true, count: true } })
  const rows = data.filter((row) => 'count' in row)
  const of = (type: string) =>
    Object.fromEntries(
      rows
        .filter(({ entityType }) => entityType === type)
        .map(({ entityId, count }) => [entityId, count]),
    )
  return { users: of('user'), groups: of('group') }
}

/** By uid and guid; those with nothing unread are not named. */
export function getUnreadMessageCount(_hideMessagesFromBlockedUsers?: boolean) {
  return counts()
}

export async function getUnreadMessageCountForAllUsers(_hide?: boolean): Promise<Counts> {
  return (await counts()).users
}

export async function getUnreadMessageCountForAllGroups(_hide?: boolean): Promise<Counts> {
  return (await counts()).groups
}

export async function getUnreadMessageCountForUser(uid: string, _hide?: boolean): Promise<Counts> {
  const { [uid]: count = 0 } = (await counts()).users
  return { [uid]: count }
}

export async function getUnreadMessageCountForGroup(
  guid: string,
  _hide?: boolean,
): Promise<Counts> {
  const { [guid]: count = 0 } = (await counts()).groups
  return { [guid]: count }
}
