import type {
  CallbacksByKind,
  CallListener,
  ConnectionListener,
  GroupListener,
  LoginListener,
  MessageListener,
  UserListener,
} from './listeners.ts'

type Kind = keyof CallbacksByKind
type Callbacks = Readonly<Record<string, (...args: unknown[]) => void>>

const listeners: Readonly<Record<Kind, Map<string, { readonly callbacks: object }>>> = {
  message: new Map(),
  user: new Map(),
  group: new Map(),
  login: new Map(),
  connection: new Map(),
  call: new Map(),
}

/** Calls this callback of every listener that has it. */
export function tell<K extends Kind, N extends keyof CallbacksByKind[K] & string>(
  kind: K,
  name: N,
  ...args: CallbacksByKind[K][N] extends (...args: infer A) => void ? A : never
): void {
  for (const { callbacks } of [...listeners[kind].values()]) {
    try {
      // The kind of the map is that of its listeners.
      ;(callbacks as Callbacks)[name]?.(...(args as unknown[]))
    } catch (error) {
      // A bug of the listener is not ours to hide, nor may it stop the others.
      queueMicrotask(() => {
        throw error
      })
    }
  }
}

export function addMessageListener(id: string, listener: MessageListener): void {
  listeners.message.set(id, listener)
}

export function removeMessageListener(id: string): void {
  listeners.message.delete(id)
}

export function addUserListener(id: string, listener: UserListener): void {
  listeners.user.set(id, listener)
}

export function removeUserListener(id: string): void {
  listeners.user.delete(id)
}

export function addGroupListener(id: string, listener: GroupListener): void {
  listeners.group.set(id, listener)
}

export function removeGroupListener(id: string): void {
  listeners.group.delete(id)
}

export function addLoginListener(id: string, listener: LoginListener): void {
  listeners.login.set(id, listener)
}

export function removeLoginListener(id: string): void {
  listeners.login.delete(id)
}

export function addConnectionListener(id: string, listener: ConnectionListener): void {
  listeners.connection.set(id, listener)
}

export function removeConnectionListener(id: string): void {
  listeners.connection.delete(id)
}

export function addCallListener(id: string, listener: CallListener): void {
  listeners.call.set(id, listener)
}

export function removeCallListener(id: string): void {
  listeners.call.delete(id)
}
