/**
 * Builds and packs the packages, and serves them as the npm registry will: `npm run packages:serve`. What is not ours, npm is
 * sent on for, to the registry that it uses here.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename, join } from 'node:path'
import { root } from '../tree.ts'
import { type Packed, packAll } from './packed.ts'

const port = Number(process.env.PORT ?? 4873)
const origin = `http://localhost:${port}`
const others = execFileSync('npm', ['config', 'get', 'registry'], {
  cwd: root,
  encoding: 'utf8',
}).trim()
if (new URL(others).port === String(port)) {
  throw new Error('npm uses this registry already. Run `unset npm_config_registry` first.')
}

const folder = join(root, 'build/registry')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
console.log('Building the packages ...')
const packed = packAll(folder)
const documents = new Map(packed.map((one) => [`/${one.name}`, JSON.stringify(documentOf(one))]))
const tarballs = new Map(packed.map(({ tarball }) => [`/-/${basename(tarball)}`, tarball]))

/** What npm asks for first: the versions of a package, here one. */
function documentOf({ name, folder: built, tarball }: Packed): object {
  const manifest = JSON.parse(readFileSync(join(folder, 'packages', built, 'package.json'), 'utf8'))
  const digest = createHash('sha512').update(readFileSync(tarball)).digest('base64')
  const dist = { tarball: `${origin}/-/${basename(tarball)}`, integrity: `sha512-${digest}` }
  return {
    name,
    'dist-tags': { latest: manifest.version },
    versions: { [manifest.version]: { ...manifest, dist } },
  }
}

const server = createServer(({ url = '' }, response) => {
  const path = decodeURIComponent(new URL(url, origin).pathname)
  const tarball = tarballs.get(path)
  const document = documents.get(path)
  if (tarball) response.end(readFileSync(tarball))
  else if (document) {
    // The same version has other contents after the next build.
    response.setHeader('cache-control', 'no-cache')
    response.setHeader('content-type', 'application/json').end(document)
  } else response.writeHead(307, { location: new URL(url, others).href }).end()
})
server.listen(port, '127.0.0.1', () => {
  console.log(`In every other terminal:\n\n  export npm_config_registry=${origin}\n`)
})
