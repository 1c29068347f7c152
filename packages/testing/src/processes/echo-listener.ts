import type { Listener } from '../../../server/src/outbox/listener.ts'

/** Answers each new user with an event: how often it did can be counted. */
export const echoListener: Listener = {
  name: 'echo',
  on: {
    async 'user.created'({ payload: { uid } }, { outbox }) {
      await outbox.append('user.updated', { uid })
      return undefined
    },
  },
}
