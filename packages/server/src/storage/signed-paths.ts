import { createHmac, timingSafeEqual } from 'node:crypto'

/** What an address of the own folder allows. */
export interface Permit {
  readonly method: 'GET' | 'PUT'
  readonly key: string
  /** Unix seconds; 0: for ever. */
  readonly expiresAt: number
  readonly type: string
  /** Of what is read. */
  readonly name?: string | undefined
  /** Of what is brought, in bytes. */
  readonly size?: number | undefined
  /** Which part of it, and where that begins. */
  readonly part?: { readonly number: number; readonly offset: number } | undefined
}

export interface SignedPaths {
  /** Path and query, behind the address of the service. */
  sign(permit: Permit): string
  /** How long it is valid from now; a day of one that is for ever. */
  secondsLeft(permit: Permit): number
  /** Undefined: it was not signed so, or its time is over. */
  verify(method: string, key: string, query: Readonly<Record<string, unknown>>): Permit | undefined
}

export interface SignedPathOptions {
  /** The key of a day, counted from 1970: the same in every process of the install. */
  readonly keyOf: (day: number) => Buffer
  /** Unix seconds. */
  readonly clock: () => number
}

export const filesPath = '/files/'
const daySeconds = 86_400

/** Addresses of the folder: whoever changes a letter of one has none. */
export function openSignedPaths({ keyOf, clock }: SignedPathOptions): SignedPaths {
  let known: { readonly day: number; readonly key: Buffer } | undefined
  const keyFor = (expiresAt: number): Buffer => {
    const day = Math.floor(expiresAt / daySeconds)
    if (known?.day !== day) known = { day, key: keyOf(day) }
    return known.key
  }
  const signatureOf = (permit: Permit): Buffer =>
    createHmac('sha256', keyFor(permit.expiresAt)).update(textOf(permit)).digest()
  return {
    sign(permit) {
      const query = new URLSearchParams({
        e: String(permit.expiresAt),
        t: permit.type,
        ...(permit.name !== undefined && { n: permit.name }),
        ...(permit.size !== undefined && { l: String(permit.size) }),
        ...(permit.part && { p: String(permit.part.number), o: String(permit.part.offset) }),
        s: signatureOf(permit).toString('base64url'),
      })
      return `${filesPath}${permit.key}?${query}`
    },

    secondsLeft({ expiresAt }) {
      return expiresAt === 0 ? daySeconds : Math.max(0, expiresAt - clock())
    },

    verify(method, key, query) {
      const permit = permitIn(method, key, query)
      const shown = Buffer.from(String(query.s ?? ''), 'base64url')
      if (!permit || (permit.expiresAt !== 0 && permit.expiresAt < clock())) return undefined
      const right = signatureOf(permit)
      return shown.length === right.length && timingSafeEqual(shown, right) ? permit : undefined
    },
  }
}

/** Numbers and a length before each text: no two permits read the same. */
function textOf({ method, key, expiresAt, type, name, size, part }: Permit): string {
  const texts = [method, key, type, name ?? ''].map((text) => `${text.length}:${text}`)
  const numbers = [expiresAt, size ?? -1, part?.number ?? -1, part?.offset ?? -1]
  return [...texts, ...numbers, name === undefined].join('\n')
}

function permitIn(
  method: string,
  key: string,
  { e, t, n, l, p, o }: Readonly<Record<string, unknown>>,
): Permit | undefined {
  const number = (value: unknown) =>
    typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined
  const expiresAt = number(e)
  if ((method !== 'GET' && method !== 'PUT') || expiresAt === undefined || typeof t !== 'string') {
    return undefined
  }
  const [first, offset] = [number(p), number(o)]
  return {
    method,
    key,
    expiresAt,
    type: t,
    ...(typeof n === 'string' && { name: n }),
    ...(l !== undefined && { size: number(l) ?? -2 }),
    ...(first !== undefined && offset !== undefined && { part: { number: first, offset } }),
  }
}
