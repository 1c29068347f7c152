import { createServer } from 'node:http'
import type { Observed } from '../check/observed.ts'
import { outside, ports } from '../rig/layout.ts'

export interface Webhooks extends AsyncDisposable {
  readonly told: Observed['webhooks'][number][]
}

/** Takes every call, and keeps what it said. */
export async function receiveWebhooks(): Promise<Webhooks> {
  const told: Webhooks['told'] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { data } = JSON.parse(Buffer.concat(chunks).toString())
    const { id, conversationId } = data.message
    const appId = request.url?.slice(1)
    told.push({ conversation: `${appId}/${conversationId}`, id: Number(id) })
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(ports.webhooks, outside, resolve))
  return {
    told,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
