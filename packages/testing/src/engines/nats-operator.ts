import { createHash } from 'node:crypto'
import { nkeys } from '@nats-io/transport-node'

type KeyPair = ReturnType<typeof nkeys.createUser>

const unlimited = { subs: -1, data: -1, payload: -1 }
const accountLimits = {
  ...unlimited,
  imports: -1,
  exports: -1,
  wildcards: true,
  conn: -1,
  leaf: -1,
  mem_storage: -1,
  disk_storage: -1,
  streams: -1,
  consumer: -1,
}

/** An operator with one account, as `nsc` would make it: what the server is told, and a user's file. */
export function makeNatsOperator(): { configuration: string; creds: string } {
  const operator = nkeys.createOperator()
  const system = nkeys.createAccount()
  const account = nkeys.createAccount()
  const user = nkeys.createUser()
  const sys = { limits: { ...unlimited, conn: -1, imports: -1, exports: -1, wildcards: true } }
  const configuration = `
    operator: ${signed(operator, operator, 'operator', { system_account: system.getPublicKey() })}
    system_account: ${system.getPublicKey()}
    resolver: MEMORY
    resolver_preload: {
      ${system.getPublicKey()}: ${signed(operator, system, 'account', sys)}
      ${account.getPublicKey()}: ${signed(operator, account, 'account', { limits: accountLimits })}
    }`
  const jwt = signed(account, user, 'user', { ...unlimited, pub: {}, sub: {} })
  const seed = new TextDecoder().decode(user.getSeed())
  return { configuration, creds: fileOf('NATS USER JWT', jwt) + fileOf('USER NKEY SEED', seed) }
}

function fileOf(what: string, text: string): string {
  return `-----BEGIN ${what}-----\n${text}\n------END ${what}------\n\n`
}

function signed(issuer: KeyPair, subject: KeyPair, type: string, nats: object): string {
  const claims = {
    jti: createHash('sha256').update(subject.getPublicKey()).digest('hex'),
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    name: type,
    sub: subject.getPublicKey(),
    nats: { ...nats, type, version: 2 },
  }
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${encoded({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encoded(claims)}`
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString('base64url')}`
}
