import type { ClientFrame, ServerFrame } from '../contract.generated.ts'
import { ChoraleError, isTokenRefused, SessionError } from '../errors.ts'
import { type Outcome, openOutcome } from './outcome.ts'

type CallFrame = Extract<ClientFrame, { type: 'call' }>
type Reply = Extract<ServerFrame, { type: 'answer' | 'refusal' }>

interface AskOptions {
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** Calls over the connection, each with its answer. */
export interface Calls {
  /** Waits for a connection if there is none, but not longer than for the answer itself. */
  ask(operation: string, input: CallFrame['input'], options: AskOptions): Promise<unknown>
  settle(reply: Reply): void
  /** Says what could not be said yet. */
  resume(): void
  /** Whoever has asked will not be answered: the connection is gone. */
  lose(): void
  close(): void
}

interface Pending {
  readonly frame: CallFrame
  readonly outcome: Outcome<unknown>
  readonly timer: ReturnType<typeof setTimeout>
  said: boolean
}

/** `mayRefresh`: another token can be had, with which a call that was refused is made again. */
export function openCalls(say: (frame: CallFrame) => boolean, mayRefresh: boolean): Calls {
  const pending = new Map<string, Pending>()
  let last = 0

  const finish = (id: string | undefined): Pending | undefined => {
    const found = id === undefined ? undefined : pending.get(id)
    if (!found) return undefined
    clearTimeout(found.timer)
    pending.delete(found.frame.id)
    return found
  }
  const fail = (id: string, code: SessionError['code']) =>
    finish(id)?.outcome.reject(new SessionError(code))

  return {
    ask(operation, input, { timeoutMs, signal }) {
      const id = String(++last)
      const outcome = openOutcome<unknown>()
      const frame: CallFrame = { type: 'call', id, operation, ...(input && { input }) }
      const timer = setTimeout(() => fail(id, 'timeout'), timeoutMs)
      const said = !signal?.aborted && say(frame)
      pending.set(id, { frame, outcome, timer, said })
      signal?.addEventListener('abort', () => fail(id, 'aborted'))
      if (signal?.aborted) fail(id, 'aborted')
      return outcome.promise
    },
    settle(reply) {
      if (mayRefresh && reply.type === 'refusal' && isTokenRefused(reply.error.code)) {
        const refused = pending.get(reply.id ?? '')
        if (refused) refused.said = false
        return
      }
      const asked = finish(reply.id)
      if (reply.type === 'answer') asked?.outcome.resolve(reply.body)
      else asked?.outcome.reject(new ChoraleError(0, reply.error))
    },
    resume() {
      for (const call of pending.values()) if (!call.said) call.said = say(call.frame)
    },
    lose() {
      for (const [id, { said }] of [...pending]) if (said) fail(id, 'connectionLost')
    },
    close() {
      for (const id of [...pending.keys()]) fail(id, 'closed')
    },
  }
}
