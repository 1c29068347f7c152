import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '@nats-io/transport-node'

/** A NATS of one's own, which can be killed and started again. Its files stay. */
export interface NatsServer extends AsyncDisposable {
  readonly url: string
  kill(): Promise<void>
  start(): Promise<void>
}

export async function startNatsServer(): Promise<NatsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'chorale-nats-'))
  const port = await freePort()
  const url = `nats://127.0.0.1:${port}`
  let running: { kill(): Promise<void> } | undefined
  const start = async () => {
    const args = ['-js', '-sd', folder, '-a', '127.0.0.1', '-p', String(port)]
    const child = spawn('nats-server', args, { stdio: 'ignore' })
    const ended = once(child, 'exit')
    running = {
      async kill() {
        child.kill('SIGKILL')
        await ended
      },
    }
    const nats = await connect({ servers: url, waitOnFirstConnect: true, reconnectTimeWait: 50 })
    await nats.close()
  }
  const kill = async () => {
    await running?.kill()
    running = undefined
  }
  await start()
  return {
    url,
    kill,
    start,
    async [Symbol.asyncDispose]() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
