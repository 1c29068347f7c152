interface Body {
  readonly bytes: Buffer
  readonly type?: string | undefined
}

const boundary = 'part-of-a-form'

/** A JSON body as the form that says the same; what is no object stays as it is. */
export function asForm(body: Body | undefined): Body | undefined {
  const values = body && body.type === undefined && objectIn(body.bytes)
  if (!values) return body
  const parts = Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map((one) => partOf(name, typeof one === 'string' ? one : JSON.stringify(one))),
  )
  return {
    bytes: Buffer.from(`${parts.join('')}--${boundary}--\r\n`),
    type: `multipart/form-data; boundary=${boundary}`,
  }
}

function partOf(name: string, text: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`
}

function objectIn(bytes: Buffer): object | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString())
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
