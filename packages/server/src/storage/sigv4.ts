import { createHash, createHmac } from 'node:crypto'

/** Of a bucket. */
export interface SigningKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
}

interface SignedRequest {
  readonly method: 'GET' | 'PUT'
  readonly host: string
  /** Encoded already. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** Beside `host`, by names in lower case: whoever sends another value is refused. */
  readonly headers?: Readonly<Record<string, string>>
  /** Unix seconds. */
  readonly signedAt: number
  readonly validSeconds: number
}

export interface Signer {
  /** The query of an address that is valid for a while. */
  query(request: SignedRequest): string
  /** The fields of a form by which a browser brings one object, with these conditions. */
  form(conditions: readonly unknown[], signedAt: number, expiresAt: number): Record<string, string>
}

/** AWS Signature Version 4 in the query, and of a policy. The key of a day is derived once. */
export function openSigner({ accessKeyId, secretAccessKey, region }: SigningKeys): Signer {
  let known: { readonly day: string; readonly key: Buffer } | undefined
  const keyOf = (day: string): Buffer => {
    if (known?.day !== day) {
      const steps = [day, region, 's3', 'aws4_request']
      known = { day, key: steps.reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey}`)) }
    }
    return known.key
  }
  const scopeOf = (day: string) => `${day}/${region}/s3/aws4_request`
  return {
    query({ method, host, path, query, headers = {}, signedAt, validSeconds }) {
      const at = stampOf(signedAt)
      const day = at.slice(0, 8)
      const signed = { ...headers, host }
      const names = Object.keys(signed).sort()
      const parameters = canonical({
        ...query,
        'X-Amz-Algorithm': algorithm,
        'X-Amz-Credential': `${accessKeyId}/${scopeOf(day)}`,
        'X-Amz-Date': at,
        'X-Amz-Expires': String(validSeconds),
        'X-Amz-SignedHeaders': names.join(';'),
      })
      const lines = Object.entries(signed)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => `${name}:${value}\n`)
      const request = [
        method,
        path,
        parameters,
        lines.join(''),
        names.join(';'),
        'UNSIGNED-PAYLOAD',
      ]
      const digest = createHash('sha256').update(request.join('\n')).digest('hex')
      const text = [algorithm, at, scopeOf(day), digest].join('\n')
      return `${parameters}&X-Amz-Signature=${hmac(keyOf(day), text).toString('hex')}`
    },

    form(conditions, signedAt, expiresAt) {
      const at = stampOf(signedAt)
      const day = at.slice(0, 8)
      const own = {
        'x-amz-algorithm': algorithm,
        'x-amz-credential': `${accessKeyId}/${scopeOf(day)}`,
        'x-amz-date': at,
      }
      const policy = {
        expiration: new Date(expiresAt * 1000).toISOString(),
        conditions: [
          ...conditions,
          ...Object.entries(own).map(([name, value]) => ({ [name]: value })),
        ],
      }
      const encoded = Buffer.from(JSON.stringify(policy)).toString('base64')
      const signature = hmac(keyOf(day), encoded).toString('hex')
      return { ...own, policy: encoded, 'x-amz-signature': signature }
    },
  }
}

const algorithm = 'AWS4-HMAC-SHA256'

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** `20261117T093000Z`. */
function stampOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replaceAll(/[-:]|\.\d+/g, '')
}

/** As the signature wants it: sorted, and encoded once. */
function canonical(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

export function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
