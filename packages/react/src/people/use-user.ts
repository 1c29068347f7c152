import type { Live, User } from '@chorale/sdk'
import { useLive } from '../hooks/live.ts'
import { useChatContext } from '../provider/context.ts'

const nobody: Live<User | undefined> = {
  subscribe: () => () => undefined,
  getSnapshot: () => undefined,
}

/** A user by uid; undefined until it is read, and where no uid is given. */
export function useUser(uid: string | undefined): User | undefined {
  const { users } = useChatContext()
  return useLive(uid === undefined ? nobody : users.of(uid))
}
