import type { OperationOutputs } from '../contract.generated.ts'

/** How bytes are brought. */
export type Instruction = NonNullable<OperationOutputs['createUpload']['data']['put']>

interface TransferOptions {
  readonly fetch: typeof fetch | undefined
  readonly signal: AbortSignal
  readonly onProgress: (bytes: number) => void
}

/** The store said no. */
export class TransferError extends Error {
  /** Of HTTP. */
  readonly status: number

  constructor(status: number) {
    super(`The store of files has answered ${status}.`)
    this.name = 'TransferError'
    this.status = status
  }
}

/** Ten kilobytes a second are enough, after a minute. */
const patienceMs = (bytes: number) => 60_000 + bytes / 10

/** Brings bytes to where an upload says. */
export async function transfer(
  instruction: Instruction,
  bytes: Blob,
  { fetch, signal, onProgress }: TransferOptions,
): Promise<void> {
  const limit = new AbortController()
  const abort = () => limit.abort()
  const timer = setTimeout(abort, patienceMs(bytes.size))
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  try {
    const withProgress = fetch === undefined && typeof XMLHttpRequest !== 'undefined'
    const status = await (withProgress ? byRequest : byFetch(fetch))(
      instruction,
      bodyOf(instruction, bytes),
      { signal: limit.signal, onProgress: (sent) => onProgress(Math.min(sent, bytes.size)) },
    )
    if (status < 200 || status > 299) throw new TransferError(status)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

type Body = Blob | FormData
type Limits = Omit<TransferOptions, 'fetch'>

function bodyOf({ method, fields }: Instruction, bytes: Blob): Body {
  if (method === 'PUT') return bytes
  const form = new FormData()
  for (const [name, value] of Object.entries(fields ?? {})) form.append(name, value)
  form.append('file', bytes, 'file')
  return form
}

function byFetch(send: typeof fetch = fetch) {
  return async ({ method, url, headers }: Instruction, body: Body, { signal }: Limits) => {
    const answer = await send(url, { method, body, headers: { ...headers }, signal })
    await answer.text()
    return answer.status
  }
}

/** Only this tells, in browsers, how much was sent. */
function byRequest(
  { method, url, headers }: Instruction,
  body: Body,
  { signal, onProgress }: Limits,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    request.open(method, url)
    for (const [name, value] of Object.entries(headers ?? {})) {
      request.setRequestHeader(name, value)
    }
    request.upload.onprogress = ({ loaded }) => onProgress(loaded)
    request.onload = () => resolve(request.status)
    request.onerror = () => reject(new TypeError('The store of files cannot be reached.'))
    request.onabort = () => reject(new TypeError('The transfer was aborted.'))
    request.onloadend = () => signal.removeEventListener('abort', abort)
    signal.addEventListener('abort', abort)
    request.send(body)
    if (signal.aborted) abort()
  })
}
