/** Prints the OpenAPI document; `--lint` checks it against redocly.yaml instead. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openapi } from '../packages/contract/src/openapi.ts'
import { readExamples } from '../packages/server/src/http/examples.ts'
import { root } from './tree.ts'

const { version }: { version: string } = JSON.parse(
  readFileSync(join(root, 'packages/server/package.json'), 'utf8'),
)
const document = `${JSON.stringify(openapi(version, readExamples()), null, 2)}\n`

function lint(): number {
  const folder = mkdtempSync(join(tmpdir(), 'chorale-openapi-'))
  try {
    const file = join(folder, 'openapi.json')
    writeFileSync(file, document)
    const { status } = spawnSync(
      process.execPath,
      [
        fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js')),
        ...['lint', file, '--config', join(root, 'redocly.yaml'), '--max-problems', '1000'],
      ],
      {
        stdio: 'inherit',
        env: {
          ...process.env,
          REDOCLY_TELEMETRY: 'off',
          REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
        },
      },
    )
    return status ?? 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv.includes('--lint')) process.exitCode = lint()
else process.stdout.write(document)
