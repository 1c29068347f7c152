import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Certificate {
  readonly key: string
  readonly cert: string
}

/** An authority that nobody knows, and what it has signed. */
export interface Authority {
  readonly ca: string
  sign(name: string, ...hosts: readonly string[]): Certificate
  /** The same with its key, in the format that Apple hands out. */
  bundle(certificate: Certificate, password: string, how?: readonly string[]): Buffer
}

const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

export function makeAuthority(): Authority {
  const own = inFolder((path) => {
    const files = ['-keyout', path('key'), '-out', path('cert')]
    openssl('req', '-x509', ...curve, ...files, '-subj', '/CN=Test authority', '-days', '2')
    return { key: read(path('key')), cert: read(path('cert')) }
  })
  return {
    ca: own.cert,
    sign: (name, ...hosts) =>
      inFolder((path) => {
        writeFileSync(path('ca-key'), own.key)
        writeFileSync(path('ca'), own.cert)
        const alternatives = hosts.map((host) => `${/^[\d.]+$/.test(host) ? 'IP' : 'DNS'}:${host}`)
        const extension = ['-addext', `subjectAltName=${alternatives.join(',')}`]
        const files = ['-keyout', path('key'), '-out', path('cert')]
        const authority = ['-CA', path('ca'), '-CAkey', path('ca-key')]
        openssl(
          ...['req', '-x509', ...curve, ...files, ...authority, '-subj', `/CN=${name}`],
          ...(hosts.length > 0 ? extension : []),
          ...['-addext', 'basicConstraints=critical,CA:FALSE', '-days', '2'],
        )
        return { key: read(path('key')), cert: read(path('cert')) }
      }),
    bundle: ({ key, cert }, password, how = []) =>
      inFolder((path) => {
        writeFileSync(path('key'), key)
        writeFileSync(path('cert'), cert)
        const files = ['-inkey', path('key'), '-in', path('cert'), '-out', path('p12')]
        openssl('pkcs12', '-export', ...how, ...files, '-passout', `pass:${password}`)
        return readFileSync(path('p12'))
      }),
  }
}

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'ignore' })
}

function read(path: string): string {
  return readFileSync(path, 'utf8')
}

function inFolder<T>(work: (path: (name: string) => string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'))
  try {
    return work((name) => join(folder, name))
  } finally {
    rmSync(folder, { recursive: true })
  }
}
