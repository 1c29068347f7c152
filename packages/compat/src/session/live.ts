import { connect, type Session, SessionError } from '@chorale/sdk'
import { exceptionOf, failure } from '../exception.ts'
import { tell } from '../listeners/registry.ts'
import { hearChange, hearMessage } from './heard-messages.ts'
import { hearPresence, hearReceipt, hearTransient, hearTyping } from './heard-signals.ts'
import { currentLogin, type Login, loginIfAny } from './state.ts'

/** Opens the session of whoever is logged in; what comes over it goes to the listeners. */
export function openSession(login: Login): Session {
  const { app, authToken } = login
  const session = connect({
    url: app.address.realtimeUrl,
    appId: app.appId,
    authToken,
    presence: { of: app.settings.presence.of, ...rolesOf(app.settings.presence) },
  })
  session.on('connection', (now) => {
    if (now.state === 'online') tell('connection', 'onConnected')
    else if (now.state === 'connecting') tell('connection', 'inConnecting')
    else tell('connection', 'onDisconnected')
    if (now.state === 'closed' && now.code !== ownClose) {
      const text = `The service has closed the connection: ${now.code} ${now.reason}`
      tell('connection', 'onConnectionError', failure('FAILED_TO_FETCH', text))
    }
  })
  const { uid } = login.user
  session.on('message', ({ message }) => inTurn(() => hearMessage(message, uid)))
  session.on('changed', ({ message }) => inTurn(() => hearChange(message)))
  session.on('receipt', (receipt) => inTurn(() => hearReceipt(receipt, uid)))
  session.on('presence', (presence) => inTurn(() => hearPresence(presence)))
  session.on('typing', (typing) => inTurn(() => hearTyping(typing)))
  session.on('customEvent', (transient) => inTurn(() => hearTransient(transient)))
  login.session = session
  return session
}

/** Of a session that was closed from here. */
const ownClose = 1000

const rolesOf = ({ roles }: { readonly roles?: string[] }) => (roles ? { roles } : {})

let last: Promise<void> = Promise.resolve()

/** One event after the other: some need a call first, and none may overtake. */
function inTurn(work: () => Promise<void> | void): void {
  last = last.then(work).catch((error: unknown) => {
    tell('connection', 'onConnectionError', exceptionOf(error))
  })
}

/** There at once, or after a while; without a connection nobody hears, but calls work. */
export async function firstConnection(session: Session, patienceMs: number): Promise<void> {
  const patience = Promise.withResolvers<void>()
  const timer = setTimeout(patience.resolve, patienceMs)
  try {
    await Promise.race([session.user, patience.promise])
  } catch (error) {
    if (!(error instanceof SessionError)) throw error
  } finally {
    clearTimeout(timer)
  }
}

export function getConnectionStatus(): string {
  const state = loginIfAny()?.session?.connection.state
  if (state === 'online') return 'connected'
  return state === 'connecting' || state === 'waiting' ? 'connecting' : 'disconnected'
}

/** For an app that has switched off `autoEstablishSocketConnection`, or called `disconnect`. */
export async function connectSession(): Promise<boolean> {
  const login = currentLogin()
  const isOpen = login.session && login.session.connection.state !== 'closed'
  const session = isOpen && login.session ? login.session : openSession(login)
  await firstConnection(session, patienceMs)
  return session.connection.state === 'online'
}

export const patienceMs = 5000

export async function disconnectSession(): Promise<boolean> {
  currentLogin().session?.close()
  return true
}
