import type { IncomingHttpHeaders } from 'node:http'
import { expect, test } from 'vitest'
import { send } from '../network/wire.ts'
import type { TestApp } from '../service/test-app.ts'

/** What a call has beside its method and path. */
interface CallOptions {
  readonly as?: string
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as it is. */
  readonly text?: string
  readonly type?: string
  /** A header that is undefined here is left out, also one that every call has. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly host?: string
  /** To the management address, with its key and secret. */
  readonly management?: boolean
  /** The id in the answer is called so from now on: `{name}` in later rows stands for it. */
  readonly keep?: string
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as they please
  readonly [field: string]: any
}

/** What is said of it, the call, the rest of the call, the status, and what is in the answer. */
export type Statement = readonly [
  statement: string,
  call: string,
  options: CallOptions,
  status: number,
  expected?: object,
]

export interface Statements {
  call(call: string, options?: CallOptions): Promise<Answer>
  /** One test per row, in this order. */
  hold(rows: readonly Statement[]): void
}

/** Calls as an existing client makes them: the app in the host name, the key in a header. */
export function statementsOf(app: TestApp): Statements {
  const kept = new Map<string, string>()
  const filled = (text: string) =>
    text.replace(/\{(\w+)\}/g, (whole, name: string) => kept.get(name) ?? whole)
  const credentials = ({ management, as, host }: CallOptions) =>
    management
      ? { ...app.management }
      : {
          host: host ?? `${app.appId}.api-us.chat.example`,
          apikey: app.keys.full,
          ...(as !== undefined && { onBehalfOf: as }),
        }

  async function call(what: string, options: CallOptions = {}): Promise<Answer> {
    const [method = '', path = ''] = what.split(' ')
    const { json, text, type = 'application/json', management, keep } = options
    const body = json === undefined ? text : JSON.stringify(json)
    const headers = {
      ...credentials(options),
      ...(body !== undefined && { 'content-type': type }),
      ...options.headers,
    }
    const given = Object.entries(headers).filter(([, value]) => value !== undefined && value !== '')
    const answer = await send(management ? app.managementOrigin : app.origin, {
      method,
      path: management || path.startsWith('/v') ? filled(path) : `/v3${filled(path)}`,
      headers: Object.fromEntries(given) as Record<string, string>,
      body: body === undefined ? undefined : filled(body),
    })
    const read = answer.text === '' ? {} : JSON.parse(answer.text)
    if (keep) kept.set(keep, String(read.data?.id))
    return { ...read, status: answer.status, headers: answer.headers }
  }

  return {
    call,
    hold(rows) {
      for (const [statement, what, options, status, expected = {}] of rows) {
        test(statement, async () => {
          expect(await call(what, options)).toMatchObject({ status, ...expected })
        })
      }
    },
  }
}

/** A refusal that names these fields. */
export function refusal(...fields: readonly string[]): object {
  const sentence = [expect.stringMatching(/^[A-Z].*\.$/)]
  const details = Object.fromEntries(fields.map((field) => [field, sentence]))
  return { error: { code: 'ERR_BAD_REQUEST', details } }
}

export function failure(code: string): object {
  return { error: { code, message: expect.any(String), source: 'chat-api' } }
}

/** Unix seconds of this age. */
export const seconds = expect.toSatisfy(
  (value) => Number.isInteger(value) && String(value).length === 10,
  'are unix seconds',
)

/** An object without this field. */
export function without(field: string): object {
  return expect.not.objectContaining({ [field]: expect.anything() })
}

/** A page of a list: how many rows it has, and which come first. */
export function rows(count: number, first: object = {}): object {
  return {
    data: expect.toSatisfy(
      (data: unknown) => Array.isArray(data) && data.length === count && matches(data[0], first),
      `has ${count} rows, the first like ${JSON.stringify(first)}`,
    ),
  }
}

function matches(value: unknown, wanted: object): boolean {
  return Object.entries(wanted).every(([name, part]) => Object(value)[name] === part)
}
