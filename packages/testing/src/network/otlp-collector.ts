import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as OTLP writes it in JSON. */
interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
}

interface Export {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[]
  }[]
}

interface Collector extends AsyncDisposable {
  readonly url: string
  readonly spans: readonly CollectedSpan[]
}

/** Takes traces as a collector of OpenTelemetry does: OTLP over HTTP, in JSON. */
export async function openCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method, url, headers } = request
    const isOtlp =
      method === 'POST' && url === '/v1/traces' && headers['content-type'] === 'application/json'
    if (!isOtlp) return response.writeHead(400).end()
    const body: Export = JSON.parse(Buffer.concat(chunks).toString())
    for (const { scopeSpans } of body.resourceSpans) {
      for (const scope of scopeSpans) spans.push(...scope.spans)
    }
    return response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
