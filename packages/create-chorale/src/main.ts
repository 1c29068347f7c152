import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { createProject, FolderInUse } from './create-project.ts'

const usage = `npm create chorale [folder] [-- --no-install]

Makes a chat application in the folder, my-chat unless given, and installs its packages.
`

/** npm, pnpm, yarn and bun say who they are. */
function packageManager(): string {
  return /^(?:npm|pnpm|yarn|bun)(?=\/)/.exec(process.env.npm_config_user_agent ?? '')?.[0] ?? 'npm'
}

function install(folder: string, manager: string): boolean {
  console.log(`Installing packages with ${manager} ...`)
  // On Windows they are scripts, which need a shell.
  const shell = process.platform === 'win32'
  const { status } = spawnSync(manager, ['install'], { cwd: folder, stdio: 'inherit', shell })
  return status === 0
}

function run(): number {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    allowNegative: true,
    options: { help: { type: 'boolean' }, install: { type: 'boolean', default: true } },
  })
  if (values.help || positionals.length > 1) {
    console.log(usage)
    return values.help ? 0 : 2
  }
  const [folder = 'my-chat'] = positionals
  createProject(folder)
  const manager = packageManager()
  const isInstalled = values.install && install(folder, manager)
  const steps = [`cd ${folder}`, ...(isInstalled ? [] : [`${manager} install`]), `${manager} start`]
  console.log(`\nMade ${folder}. Next:\n\n${steps.map((step) => `  ${step}`).join('\n')}\n`)
  console.log('It needs a Chorale that runs: `npx chorale start` in another terminal.')
  return isInstalled || !values.install ? 0 : 1
}

try {
  process.exitCode = run()
} catch (error) {
  const isWrongUse =
    error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
  if (!isWrongUse && !(error instanceof FolderInUse)) throw error
  console.error(error.message)
  process.exitCode = isWrongUse ? 2 : 1
}
