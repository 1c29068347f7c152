import { SMTPServer } from 'smtp-server'
import { makeAuthority } from '../network/certificates.ts'

/** A mail server that takes digests from `chorale` with the password `secret`, over TLS only. */
export interface MailServer extends AsyncDisposable {
  readonly port: number
  /** The authority that has signed its certificate. */
  readonly ca: string
  /** As they came, headers and all. */
  readonly digests: readonly string[]
}

const refuse = (responseCode: number, text: string) =>
  Object.assign(new Error(text), { responseCode })

export async function startMailServer(): Promise<MailServer> {
  const authority = makeAuthority()
  const digests: string[] = []
  const server = new SMTPServer({
    ...authority.sign('mail', 'localhost'),
    onAuth: ({ username, password: shown }, _session, done) =>
      shown === 'secret' ? done(null, { user: username ?? '' }) : done(new Error('No.')),
    onRcptTo({ address }, _session, done) {
      if (address.startsWith('nobody')) return done(refuse(550, 'No such mailbox'))
      if (address.startsWith('full')) return done(refuse(452, 'Mailbox full'))
      return done()
    },
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        digests.push(Buffer.concat(chunks).toString())
        done(digests.at(-1)?.includes('unwanted') ? refuse(554, 'Unwanted') : null)
      })
    },
  })
  const listening = server.listen(0, '127.0.0.1')
  await new Promise<void>((resolve) => listening.once('listening', resolve))
  const address = listening.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    ca: authority.ca,
    digests,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
