import { Agent, request } from 'node:http'
import { setTimeout as after } from 'node:timers/promises'
import { outside, ports } from '../rig/layout.ts'

export interface App {
  readonly appId: string
  readonly apiKey: string
}

export interface Call {
  readonly app: App
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  /** Uid of the acting user. */
  readonly as?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface Answer {
  readonly status: number
  readonly retryAfter: boolean
  /** As it came; undefined where it is no JSON. */
  readonly body: unknown
}

const agent = new Agent({ keepAlive: true, maxSockets: 512 })
const maxAnswerMs = 15_000

/** One attempt, through the balancer. A connection that fails is told by its error. */
export function attempt({ app, method, path, as, headers, body }: Call): Promise<Answer | string> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  return new Promise((resolve) => {
    const call = request({
      host: outside,
      port: ports.balancedApi,
      agent,
      method,
      path,
      headers: {
        appId: app.appId,
        apikey: app.apiKey,
        ...(as && { onBehalfOf: as }),
        ...(text && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        }),
        ...headers,
      },
    })
    const timer = setTimeout(() => call.destroy(new Error('no answer within 15 s')), maxAnswerMs)
    const done = (answer: Answer | string) => {
      clearTimeout(timer)
      resolve(answer)
    }
    call.on('error', (error) => done('code' in error ? String(error.code) : error.message))
    call.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', (error) => done(`cut: ${error.message}`))
      response.on('end', () =>
        done({
          status: response.statusCode ?? 0,
          retryAfter: response.headers['retry-after'] !== undefined,
          body: parsed(Buffer.concat(chunks).toString()),
        }),
      )
    })
    call.end(text)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** How the refusals of a run are told apart. */
export function nameOf(answer: Answer | string): string {
  if (typeof answer === 'string') return answer
  const code = Object(Object(answer.body).error).code ?? 'not an answer of the service'
  return `${answer.status} ${code}${answer.retryAfter ? '' : ', without Retry-After'}`
}

/** For what prepares a run and what reads its end: until it is answered well. */
export async function insist<T>(call: Call): Promise<T> {
  for (let tries = 0; ; tries++) {
    const answer = await attempt(call)
    const status = typeof answer === 'string' ? 0 : answer.status
    // As the documentation of the call says; whoever reads a field that is not there notices.
    if (typeof answer !== 'string' && status >= 200 && status < 300) return answer.body as T
    const isWrong = status >= 400 && status < 500 && status !== 429
    if (isWrong || tries > 300) {
      const body = typeof answer === 'string' ? '' : JSON.stringify(answer.body)
      throw new Error(`${call.method} ${call.path}: ${nameOf(answer)} ${body}`)
    }
    await after(300)
  }
}
