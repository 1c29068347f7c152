import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { badRequest, Failure } from '../pipeline/failure.ts'
import {
  type ConsoleAddress,
  cookieIn,
  cookieText,
  requireOwnPage,
  sessionCookie,
} from './console-routes.ts'

/** Of the browser that wants to sign in. */
interface Browser {
  readonly address: string
  readonly userAgent: string
  readonly requestId: string
  readonly session: string | undefined
}

/** How people sign in; what it answers is what the cookie is to hold. */
export interface SignIn extends ConsoleAddress {
  /** Undefined: passwords are switched off. */
  readonly byPassword:
    | ((
        given: { email: string; password: string; code?: string | undefined },
        browser: Browser,
      ) => Promise<{ session: string }>)
    | undefined
  readonly provider: Provider | undefined
}

interface Provider {
  readonly name: string
  /** Where to send the browser, and what to keep until it comes back. */
  begin(returnTo: string): Promise<{ url: string; kept: string }>
  /** `returnTo` is what `begin` was given. */
  finish(url: URL, kept: string, browser: Browser): Promise<{ session: string; returnTo: string }>
}

const path = '/console/sign-in'
const startPage = '/console'
/** What is kept while the person is at the provider. */
const providerCookie = 'chorale-sign-in'
const providerSeconds = 600

/** The way in. All that follows is calls of the pipeline. */
export function addSignIn(
  server: FastifyInstance,
  signIn: SignIn,
  addressOf: (request: FastifyRequest) => string,
): void {
  const browserOf = (request: FastifyRequest): Browser => ({
    address: addressOf(request),
    userAgent: request.headers['user-agent'] ?? '',
    requestId: request.id,
    session: cookieIn(request, sessionCookie, signIn),
  })
  server.get(`${path}/methods`, async (_, reply) => {
    reply.header('Cache-Control', 'no-store')
    const provider = signIn.provider && { name: signIn.provider.name, path: `${path}/provider` }
    return { data: { password: signIn.byPassword !== undefined, ...(provider && { provider }) } }
  })
  const { byPassword, provider } = signIn
  if (byPassword) {
    server.post(path, {
      onRequest: async (request) => requireOwnPage(request, signIn),
      handler: async (request, reply) => {
        const { session } = await byPassword(givenIn(request.body), browserOf(request))
        enter(reply, session, signIn)
        return { data: { success: true, message: 'Signed in.' } }
      },
    })
  }
  if (provider) addProvider(server, signIn, provider, browserOf)
}

function addProvider(
  server: FastifyInstance,
  signIn: SignIn,
  provider: Provider,
  browserOf: (request: FastifyRequest) => Browser,
): void {
  server.get(`${path}/provider`, async (request, reply) => {
    const { returnTo } = request.query as { returnTo?: unknown }
    const { url, kept } = await provider.begin(localPath(returnTo))
    reply.header('Set-Cookie', cookieText(providerCookie, kept, signIn, providerSeconds))
    return reply.header('Cache-Control', 'no-store').redirect(url, 303)
  })
  server.get(`${path}/callback`, async (request, reply) => {
    const kept = cookieIn(request, providerCookie, signIn)
    // Used up, whatever comes of it.
    reply.header('Set-Cookie', cookieText(providerCookie, '', signIn, 0))
    if (kept === undefined) throw new Failure('ERR_SIGN_IN_REFUSED')
    const came = new URL(request.url, signIn.origin)
    try {
      const { session, returnTo } = await provider.finish(came, kept, browserOf(request))
      enter(reply, session, signIn)
      return reply.redirect(localPath(returnTo), 303)
    } catch (error) {
      // A person sees what to do on the page; a program gets the error.
      const isPerson = String(request.headers.accept).includes('text/html')
      if (!(isPerson && error instanceof Failure)) throw error
      return reply.redirect(`${path}?error=${error.code}`, 303)
    }
  })
}

function enter(reply: FastifyReply, session: string, address: ConsoleAddress): void {
  reply.header('Cache-Control', 'no-store')
  reply.header('Set-Cookie', cookieText(sessionCookie, session, address))
}

/** A path of the console, and no other place: `//host`, `/\host` and the like lead elsewhere. */
export function localPath(wanted: unknown): string {
  if (typeof wanted !== 'string' || !/^\/console(?:[/?#]|$)/.test(wanted)) return startPage
  const base = 'http://console.invalid'
  const url = URL.parse(wanted, base)
  const isLocal = url?.origin === base && /^\/console(?:\/|$)/.test(url.pathname)
  return isLocal ? url.pathname + url.search + url.hash : startPage
}

const maxLetters = 300

function givenIn(body: unknown) {
  const given = parsed(body)
  const { email, password, code } = given
  if (!isText(email)) throw badRequest('email', 'This field is required.')
  if (!isText(password)) throw badRequest('password', 'This field is required.')
  if (code !== undefined && !isText(code)) throw badRequest('code', 'Use a text.')
  return { email, password, code }
}

function parsed(body: unknown): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(Buffer.isBuffer(body) ? body.toString('utf8') : ''))
  } catch {
    throw badRequest('body', 'Send JSON.')
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLetters
}
