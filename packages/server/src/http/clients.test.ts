import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { execute } from '../../../../tools/services/commands.ts'
import { root } from '../../../../tools/tree.ts'
import { startTestApp } from '../../../testing/src/service/test-app.ts'

// Programs as servers of applications are. Each stops at the first call whose answer its author
// would not expect.

const app = await startTestApp({ shadow: false })
afterAll(() => app[Symbol.asyncDispose]())

// They bring compilers and interpreters along, onto a machine that may be busy.
const patient = { timeout: 240_000 }

const example = (file: string) => join(root, 'examples/clients', file)

test.concurrent.each([
  ['bash', 'chat.sh', ['curl']],
  ['php', 'chat.php', ['php-cli', 'php-curl']],
  ['python3', 'chat.py', ['python3-requests']],
  ['ruby', 'chat.rb', ['ruby']],
])('%s %s finds what its author expects', patient, async (program, file, packages) => {
  await requirePrograms(packages)
  expectCalls(await run(program, example(file)))
})

test.concurrent(
  'a client generated from the OpenAPI document works, types and all',
  patient,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'chorale-client-'))
    try {
      const file = join(folder, 'chat.ts')
      copyFileSync(example('chat.ts'), file)
      await generateClient(folder)
      await execute(process.execPath, [
        join(root, 'node_modules/typescript7/bin/tsc'),
        '-p',
        folder,
      ])
      expectCalls(await run(process.execPath, file))
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
)

/** As the header of the program says. */
async function generateClient(folder: string): Promise<void> {
  const document = await fetch(`${app.origin}/openapi.json`)
  writeFileSync(join(folder, 'openapi.json'), await document.text())
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const compilerOptions = { typeRoots: [join(root, 'node_modules/@types')] }
  const settings = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['chat.ts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  await execute(
    process.execPath,
    [
      fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js')),
      ...['generate-client', join(folder, 'openapi.json'), '--output', join(folder, 'chorale.ts')],
      ...['--args-style', 'grouped', '--error-mode', 'result'],
    ],
    { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  )
}

/** By package of Debian: what shows that it is there. */
const signs: Readonly<Record<string, string>> = {
  curl: 'command -v curl',
  'php-cli': 'command -v php',
  'php-curl': 'php -r "curl_init();"',
  'python3-requests': 'python3 -c "import requests"',
  ruby: 'command -v ruby',
}

async function requirePrograms(packages: readonly string[]): Promise<void> {
  for (const name of packages) {
    await execute('/bin/sh', ['-c', signs[name] ?? 'false']).catch(() => {
      throw new Error(`Please install ${name}, and try again.`)
    })
  }
}

/** In an app of its own. */
async function run(program: string, file: string) {
  const { appId, full } = await app.anotherApp()
  const env = {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    API_URL: `${app.origin}/v3`,
    APP_ID: appId,
    API_KEY: full,
    MANAGEMENT_URL: app.managementOrigin,
    MANAGEMENT_KEY: app.management.key,
    MANAGEMENT_SECRET: app.management.secret,
  }
  return await new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(program, [file], { env }, (error, stdout, stderr) => {
      resolve({ code: error ? (error.code ?? error.signal) : 0, output: stdout + stderr })
    })
  })
}

function expectCalls({ code, output }: { code: unknown; output: string }): void {
  expect(code, output).toBe(0)
  expect(output.match(/^ok \d+ /gm)?.length).toBeGreaterThanOrEqual(30)
}
