import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../tree.ts'

export const resolutions = ['nodenext', 'bundler'] as const
export type Resolution = (typeof resolutions)[number]
/** As devDependencies of this repository name them: 6 and 7. */
export const compilers = ['typescript', 'typescript7'] as const
export type Compiler = (typeof compilers)[number]

/** A folder outside the repository in which the tarballs are installed, with programs that use them. */
export interface ConsumerFolder {
  readonly path: string
  /** How many packages `npm install --omit dev` would leave there. */
  readonly productionPackages: number
  /** What the compiler finds in the programs; where it finds nothing, JavaScript is in `out`. */
  check(
    compiler: Compiler,
    resolution: Resolution,
  ): { readonly found: string; readonly out: string }
  /** What it costs the compiler, version 6, to check one file with this text. */
  cost(text: string): Cost
}

export interface Cost {
  readonly cpuSeconds: number
  readonly megabytes: number
}

export function installInto(path: string, tarballs: readonly string[]): ConsumerFolder {
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  mkdirSync(path)
  const manifest = { name: 'consumer', version: '1.0.0', private: true, type: 'module' }
  writeFileSync(join(path, 'package.json'), JSON.stringify(manifest))
  install(path, tarballs)
  const versions = compilers.map((name) => `${name}@${devDependencies[name]}`)
  install(path, ['--save-dev', ...versions, '@types/node@22'])
  cpSync(join(root, 'tools/packages/consumer'), join(path, 'src'), { recursive: true })
  const { packages } = JSON.parse(readFileSync(join(path, 'package-lock.json'), 'utf8'))
  const locked: { readonly dev?: boolean }[] = Object.values(packages)
  return {
    path,
    // One entry is the folder itself.
    productionPackages: locked.filter(({ dev }) => !dev).length - 1,
    check: (compiler, resolution) => check(path, compiler, resolution),
    cost: (text) => cost(path, text),
  }
}

/** Without their scripts: nothing may need one. */
export function install(folder: string, names: readonly string[]): void {
  const flags = ['install', '--silent', '--ignore-scripts', '--no-audit', '--no-fund']
  execFileSync('npm', [...flags, ...names], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
}

const strict = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  target: 'es2022',
}
/** A server has no DOM. */
const environments = {
  nodenext: { module: 'nodenext', lib: ['es2023'], types: ['node'] },
  bundler: { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] },
}

function check(path: string, compiler: Compiler, resolution: Resolution) {
  const out = join(path, 'out', compiler, resolution)
  const places = { rootDir: 'src', outDir: out, noEmitOnError: true }
  // Version 7 checks the declarations too. It takes version 6 half a minute, nearly all for those of TypeBox.
  const skipLibCheck = compiler === 'typescript'
  const compilerOptions = { ...strict, ...environments[resolution], ...places, skipLibCheck }
  const config = join(path, 'tsconfig.json')
  writeFileSync(config, JSON.stringify({ compilerOptions, include: ['src'] }))
  const program = join(path, 'node_modules', compiler, 'bin/tsc')
  try {
    execFileSync(process.execPath, [program, '-p', config], { cwd: path, encoding: 'utf8' })
    return { found: '', out }
  } catch (error) {
    return { found: String(Object(error).stdout), out }
  }
}

/** Prints what the process used when it ends. */
const usage = `process.on('exit', () => console.log('CPU us:', process.cpuUsage().user + process.cpuUsage().system))`

/** CPU time, since a busy machine delays the rest; memory as the compiler says it. */
function cost(path: string, text: string): Cost {
  const folder = join(path, 'cost')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'program.ts'), text)
  const compilerOptions = { ...strict, ...environments.bundler, noEmit: true }
  const config = join(folder, 'tsconfig.json')
  writeFileSync(config, JSON.stringify({ compilerOptions, files: ['program.ts'] }))
  const compiler = join(path, 'node_modules/typescript/bin/tsc')
  const hook = `--import=data:text/javascript,${encodeURIComponent(usage)}`
  const args = [hook, compiler, '-p', config, '--extendedDiagnostics']
  const printed = execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  const figure = (name: RegExp) => Number(name.exec(printed)?.[1])
  return {
    cpuSeconds: figure(/CPU us: (\d+)/) / 1e6,
    megabytes: figure(/Memory used:\s+(\d+)K/) / 1024,
  }
}
