import { ChoraleError, restClient } from '@chorale/sdk'
import { type User, userOf } from '../entities/user.ts'
import { exceptionOf, failure } from '../exception.ts'
import { tell } from '../listeners/registry.ts'
import { addressOf } from './address.ts'
import { forgetMessages } from './heard-messages.ts'
import { forgetReactions } from './heard-reactions.ts'
import { keptToken } from './kept-token.ts'
import { firstConnection, openSession, patienceMs } from './live.ts'
import { forgetPeople, remember } from './people.ts'
import type { AppSettings } from './settings.ts'
import { clientWith, currentApp, type Login, loginIfAny, setApp, setLogin } from './state.ts'

/** Says which app and where; whoever was logged in on this page still is. */
export async function init(appId: string, settings: AppSettings): Promise<boolean> {
  if (!appId) throw failure('MISSING_PARAMETERS', 'The app id is missing.')
  if (!settings?.clientHost) {
    const text = 'The address of Chorale is missing: AppSettingsBuilder.overrideClientHost(host).'
    throw failure('MISSING_PARAMETERS', text)
  }
  if (loginIfAny()) await end()
  const address = addressOf(settings.clientHost)
  const kept = keptToken(appId, settings.storageMode)
  setApp({ appId, settings, address, kept })
  const authToken = kept.read()
  if (authToken !== undefined) await resume(authToken)
  return true
}

/** A token that is of no use any more is forgotten. */
async function resume(authToken: string): Promise<void> {
  try {
    await begin(authToken, false)
  } catch (error) {
    if (!(error instanceof ChoraleError)) throw exceptionOf(error)
    currentApp().kept.write(undefined)
  }
}

/** With a uid and the key for auth tokens, or with an auth token alone. */
export async function login(uidOrToken: string, authKey?: string): Promise<User> {
  try {
    currentApp()
    if (!uidOrToken) throw failure('MISSING_PARAMETERS', 'A uid or an auth token is missing.')
    const isTokenOwn = authKey !== undefined
    const authToken = isTokenOwn ? await tokenOf(uidOrToken, authKey) : uidOrToken
    const user = await begin(authToken, isTokenOwn)
    tell('login', 'loginSuccess', user)
    return user
  } catch (error) {
    const exception = exceptionOf(error)
    tell('login', 'loginFailure', exception)
    throw exception
  }
}

async function tokenOf(uid: string, apiKey: string): Promise<string> {
  const { appId, address } = currentApp()
  const { createAuthToken } = restClient({ baseUrl: address.baseUrl, appId, apiKey })
  return (await createAuthToken({ params: { uid } })).data.authToken
}

async function begin(authToken: string, isTokenOwn: boolean): Promise<User> {
  const app = currentApp()
  const calls = clientWith(app, authToken)
  const { data: user } = await calls.getMe()
  if (loginIfAny()) await end()
  const login = { app, user, authToken, isTokenOwn, calls }
  setLogin(login)
  app.kept.write(authToken)
  remember(user)
  if (app.settings.autoEstablishSocketConnection) {
    await firstConnection(openSession(login), patienceMs)
  }
  return asLoggedIn(userOf(user), authToken)
}

function asLoggedIn(user: User, authToken: string): User {
  user.setAuthToken(authToken)
  return user
}

async function end(): Promise<void> {
  loginIfAny()?.session?.close()
  setLogin(undefined)
  forgetPeople()
  forgetMessages()
  forgetReactions()
}

async function leave({ isTokenOwn, calls, authToken }: Login): Promise<void> {
  await (isTokenOwn ? calls.deleteMyAuthToken() : calls.deletePushTokens({ body: { authToken } }))
}

/** Ends what this device was told by push, too. A token that the app was given stays valid. */
export async function logout(): Promise<Record<string, never>> {
  try {
    const login = loginIfAny()
    if (login) await leave(login)
    currentApp().kept.write(undefined)
    await end()
    tell('login', 'logoutSuccess')
    return {}
  } catch (error) {
    const exception = exceptionOf(error)
    tell('login', 'logoutFailure', exception)
    throw exception
  }
}

/** Null: nobody is logged in. */
export async function getLoggedinUser(): Promise<User | null> {
  currentApp()
  const login = loginIfAny()
  return login ? asLoggedIn(userOf(login.user), login.authToken) : null
}
