import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { has } from '../../../../tools/services/commands.ts'

const program = fileURLToPath(new URL('../../../../examples/page/serve.ts', import.meta.url))

/** The example page, served as a reader would; returns its address. */
export async function servePage(
  stack: AsyncDisposableStack,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH, PAGE_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  stack.defer(() => void child.kill())
  const [line] = await once(createInterface(child.stdout), 'line')
  return String(line)
}

export async function openBrowser() {
  if (!(await has('chromium'))) throw new Error('Please install chromium, and try again.')
  // Root may not use the sandbox, and CI is root.
  return await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
}
