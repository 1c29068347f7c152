import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { build, type Rolldown } from 'vite'
import { afterAll, describe, expect, test } from 'vitest'
import { createEmptyDatabase } from '../../packages/testing/src/engines/test-database.ts'
import { programOf, settingsFor } from '../../packages/testing/src/processes/program.ts'
import { compilers, install, installInto, resolutions } from './consumer-folder.ts'
import { packAll } from './packed.ts'

// The packages as others get them: packed, installed into an empty folder outside the repository, and used there.

const folder = mkdtempSync(join(tmpdir(), 'chorale-install-'))
afterAll(() => rmSync(folder, { recursive: true }))
const packed = packAll(folder)
const consumer = installInto(
  join(folder, 'consumer'),
  packed.map(({ tarball }) => tarball),
)
const compiled = consumer.check('typescript', 'nodenext')

const nodesForSdk = ['22', '24', '26']
const nodesForServer = ['24', '26']
/** Of the newest releases, from the npm packages that have them. */
const nodes = installNodes()

function installNodes(): ReadonlyMap<string, string> {
  const path = join(folder, 'nodes')
  mkdirSync(path)
  const source = `node-${process.platform}-${process.arch}`
  const names = nodesForSdk.map((version) => `node${version}@npm:${source}@${version}`)
  install(path, ['--no-save', ...names])
  return new Map(
    nodesForSdk.map((version) => [version, join(path, `node_modules/node${version}/bin/node`)]),
  )
}

function nodeOf(version: string): string {
  const node = nodes.get(version)
  if (!node) throw new Error(`Node ${version} is not installed.`)
  return node
}

function evaluate(node: string, code: string, kind: 'module' | 'commonjs' = 'module'): unknown {
  const script = join(consumer.path, kind === 'module' ? 'script.mjs' : 'script.cjs')
  writeFileSync(script, code)
  const text = execFileSync(node, [script], { encoding: 'utf8', timeout: 120_000 })
  return JSON.parse(text)
}

describe.each(packed)('$name', ({ tarball, stylesheets }) => {
  test('publint finds nothing', async () => {
    const archive = new Uint8Array(readFileSync(tarball))
    const { messages } = await publint({ pack: { tarball: archive.buffer }, strict: true })
    expect(messages).toEqual([])
  })

  test('@arethetypeswrong/cli finds nothing but that there is no CommonJS', () => {
    const manifest = fileURLToPath(import.meta.resolve('@arethetypeswrong/cli/package.json'))
    const program = join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin.attw)
    const args = [tarball, '--ignore-rules', 'cjs-resolves-to-esm', '--format', 'json']
    // A style sheet has no types.
    const sheets = Object.keys(stylesheets ?? {}).flatMap((path) => ['--exclude-entrypoints', path])
    expect(() => execFileSync(process.execPath, [program, ...args, ...sheets])).not.toThrow()
  })
})

test('the server has at most 130 packages in production', () => {
  console.log(`installed: ${consumer.productionPackages} packages, ours included`)
  expect(consumer.productionPackages).toBeLessThanOrEqual(130)
})

describe.each(compilers)('%s', (compiler) => {
  test.each(resolutions)('a strict program compiles with %s', (resolution) => {
    expect(consumer.check(compiler, resolution).found).toBe('')
  })
})

test('a program with a wrong error code does not compile', () => {
  const source = join(consumer.path, 'src/talk.ts')
  const right = readFileSync(source, 'utf8')
  writeFileSync(source, right.replace("'ERR_UID_NOT_FOUND'", "'ERR_OTHER'"))
  const { found } = consumer.check('typescript', 'bundler')
  writeFileSync(source, right)
  expect(found).toMatch(/^src\/talk\.ts\(\d+,\d+\): error TS2322: .*"ERR_OTHER"/)
})

test('the declarations of the SDK cost a compiler less than 1 s of CPU and 100 MB', () => {
  const program = readFileSync(join(consumer.path, 'src/talk.ts'), 'utf8')
  const turns = Array.from({ length: 7 }, () => ({
    empty: consumer.cost('export {}\n'),
    full: consumer.cost(program),
  }))
  const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? NaN
  const seconds = median(turns.map(({ empty, full }) => full.cpuSeconds - empty.cpuSeconds))
  const megabytes = median(turns.map(({ empty, full }) => full.megabytes - empty.megabytes))
  console.log(`compiling with the SDK costs ${seconds.toFixed(2)} s and ${megabytes.toFixed(0)} MB`)
  console.log(turns)
  expect(seconds).toBeLessThan(1)
  expect(megabytes).toBeLessThan(100)
})

describe.each(nodesForSdk)('on Node %s', (version) => {
  test('the SDK and the contract are imported and required', () => {
    const node = nodeOf(version)
    const names = ['@chorale/sdk', '@chorale/contract']
    const imported = `const all = await Promise.all(${JSON.stringify(names)}.map((name) => import(name)))`
    const required = `const all = ${JSON.stringify(names)}.map((name) => require(name))`
    const print =
      'console.log(JSON.stringify([all[0].connect, all[1].openapi].map((one) => typeof one)))'
    const functions = ['function', 'function']
    expect(evaluate(node, `${imported}\n${print}`)).toEqual(functions)
    expect(evaluate(node, `${required}\n${print}`, 'commonjs')).toEqual(functions)
  })

  test('a program reads the contract', () => {
    const code = `import { describe } from ${JSON.stringify(join(compiled.out, 'interface.js'))}
      console.log(JSON.stringify(describe('createUser', 'ERR_UID_NOT_FOUND')))`
    const expected = { route: 'POST /users', status: 404, isComplete: true }
    expect(evaluate(nodeOf(version), code)).toEqual(expected)
  })
})

/** The program and the SDK in one file, as a browser gets it. */
async function bundle(): Promise<string> {
  const built = await build({
    root: consumer.path,
    configFile: false,
    logLevel: 'error',
    build: {
      outDir: 'bundle',
      minify: true,
      lib: { entry: join(consumer.path, 'src/talk.ts'), formats: ['es'], fileName: 'talk' },
    },
  })
  // One format, so one output; not watching, so no watcher.
  const { output } = [built].flat()[0] as Rolldown.RolldownOutput
  expect(output.map((file) => file.type)).toEqual(['chunk'])
  const path = join(consumer.path, 'bundle', output[0].fileName)
  const code = readFileSync(path, 'utf8')
  expect(code).not.toMatch(/\bnode:|\bimport\b|\brequire\(/)
  console.log(`bundle: ${code.length} bytes, ${gzipSync(code).length} gzipped`)
  return path
}

describe.each(nodesForServer)('chorale on Node %s', async (version) => {
  const node = nodeOf(version)
  const path = 'node_modules/.bin/chorale'
  const program = programOf({ node, path, folder: consumer.path })

  test('the installed command prints its version', () => {
    const PATH = `${dirname(node)}:/usr/bin:/bin`
    const printed = execFileSync(join(consumer.path, path), ['--version'], {
      env: { PATH },
      encoding: 'utf8',
    })
    const manifest = join(consumer.path, 'node_modules/chorale/package.json')
    expect(printed.trim()).toBe(JSON.parse(readFileSync(manifest, 'utf8')).version)
  })

  test('migrates, serves, and programs of every Node talk to it; so does the bundle', async () => {
    await using database = await createEmptyDatabase()
    const settings = settingsFor(database.url)
    const migrated = await program.chorale(settings, 'migrate')
    expect(migrated).toMatchObject({ code: 0, stdout: expect.stringContaining('0001-') })
    const { appId, apiKeys } = await program.choraleJson<{
      readonly appId: string
      readonly apiKeys: { readonly fullAccess: string }
    }>(settings, 'app', 'create', '--name', 'Demo')
    await using serving = await program.startServing(settings)

    const talkIn = (sdkNode: string, module: string, uid: string) => {
      const given = { origin: serving.origin, appId, apiKey: apiKeys.fullAccess, uid }
      const code = `import { talk } from ${JSON.stringify(module)}
        console.log(JSON.stringify(await talk(${JSON.stringify(given)})))`
      return evaluate(sdkNode, code)
    }
    const modules = { plain: join(compiled.out, 'talk.js'), bundled: await bundle() }
    for (const [name, module] of Object.entries(modules)) {
      for (const sdkVersion of nodesForSdk) {
        const uid = `${name}-${sdkVersion}`
        const friend = `${uid}-friend`
        const heard = talkIn(nodeOf(sdkVersion), module, uid)
        expect(heard).toEqual({ sender: friend, receiver: friend, refused: true })
      }
    }
    serving.signal('SIGTERM')
    expect(await serving.ended).toBe(0)
  })
})
