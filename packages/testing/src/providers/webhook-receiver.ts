import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'
import {
  newSecret,
  secretPlace,
  signatureHeaders,
} from '../../../server/src/domain/webhooks/secrets.ts'
import { freePort } from '../../../server/src/main/start/free-port.ts'
import { openVault } from '../../../server/src/vault/vault.ts'

const vault = openVault(randomBytes(32))
const body = '{"trigger":"message_sent","data":{"text":"Grüße"}}'

function signed(secret: string, at: number) {
  const secretEncrypted = vault.seal(secret, secretPlace('app', 'hook'))
  const webhook = { id: 'hook', secretEncrypted, oldSecretEncrypted: null, oldSecretUntil: null }
  return signatureHeaders(webhook, vault, { appId: 'app', eventId: 'event-1', at, body })
}

/** Starts a program that receives webhooks; it takes a call that is signed as ours are, and no other. */
export async function expectReceiver(
  program: string,
  argsFor: (port: number) => readonly string[],
): Promise<void> {
  const [secret, port] = [newSecret(), await freePort()]
  const env = { PATH: process.env.PATH, SECRET: secret, PORT: String(port) }
  const child = spawn(program, argsFor(port), { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const line = once(createInterface(child.stdout), 'line')
  const post = (headers: Record<string, string>, text = body) =>
    fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: text })
      .then(({ status }) => status)
      .catch(() => 0)
  try {
    const now = Math.floor(Date.now() / 1000)
    // 0 until it listens.
    await expect.poll(() => post({}), { timeout: 60_000 }).toBe(401)
    expect(await post(signed(newSecret(), now))).toBe(401)
    expect(await post(signed(secret, now - 3600))).toBe(401)
    expect(await post(signed(secret, now), `${body} `)).toBe(401)
    expect(await post(signed(secret, now))).toBe(204)
    expect(await line).toEqual(['event-1 message_sent'])
  } finally {
    child.kill()
  }
}
