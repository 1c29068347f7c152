import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from '../tree.ts'
import { compat, contract, type Published, react, sdk } from './published.ts'

/** Writes the `.d.ts` of a package that others import. */
export function declare(one: Published, folder: string): void {
  const dist = join(folder, 'dist')
  if ([sdk, compat, react].includes(one)) inferred(one.workspace, ['index.ts'], dist)
  if (one !== contract) return
  // What these import of the schemas is no part of their declarations, which spares the inference.
  for (const name of ['index', 'examples', 'openapi']) annotated(name, dist)
  inferred('contract', ['operation.ts'], dist)
}

function inferred(workspace: string, files: readonly string[], dist: string): void {
  const sources = join(root, 'packages', workspace, 'src')
  const config = join(dist, 'tsconfig.json')
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: sources,
    outDir: dist,
    lib: ['esnext', 'dom', 'dom.iterable'],
    types: [],
  }
  const content = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions,
    files: files.map((file) => join(sources, file)),
    include: [],
  }
  mkdirSync(dist, { recursive: true })
  writeFileSync(config, JSON.stringify(content))
  const compiler = join(root, 'node_modules/typescript7/bin/tsc')
  const { status } = spawnSync(process.execPath, [compiler, '-p', config], { stdio: 'inherit' })
  rmSync(config)
  if (status !== 0) throw new Error(`The compiler does not declare ${workspace}.`)
  for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (path.endsWith('.d.ts')) pointToBuilt(join(dist, path))
  }
}

/** A file whose exports all have a type that is written down. */
function annotated(name: string, dist: string): void {
  const source = join(root, 'packages/contract/src', `${name}.ts`)
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(source, 'utf8'), {
    fileName: source,
    reportDiagnostics: true,
    compilerOptions: {
      declaration: true,
      isolatedDeclarations: true,
      module: ts.ModuleKind.NodeNext,
      verbatimModuleSyntax: true,
      allowImportingTsExtensions: true,
    },
  })
  for (const { messageText } of diagnostics) {
    throw new Error(`${source}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`)
  }
  writeFileSync(join(dist, `${name}.d.ts`), outputText)
}

function pointToBuilt(file: string): void {
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replaceAll(/((?:from |import\()['"]\.[^'"]*)\.tsx?(['"])/g, '$1.js$2'))
}
